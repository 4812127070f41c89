// Named values as somebody gave or made them: inputs and outputs.

export interface ValueListProps {
  label: string;
  values: Readonly<Record<string, unknown>>;
}

export function ValueList({ label, values }: ValueListProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className="max-h-80 overflow-y-auto"
    >
      <dl className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
        {Object.entries(values).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="break-all text-ink-soft">{name}</dt>
            <dd className="whitespace-pre-wrap break-all font-mono text-xs leading-5">
              {typeof value === "string" ? value : JSON.stringify(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

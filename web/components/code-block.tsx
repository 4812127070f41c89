// Commands or data to read and to copy.
import { CopyButton } from "./copy-button.tsx";

export interface CodeBlockProps {
  label: string;
  children: string;
}

export function CodeBlock({ label, children }: CodeBlockProps) {
  return (
    <div className="relative w-full min-w-0 rounded-md border border-line bg-log text-left">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 pr-11"
      >
        <pre className="font-mono text-ink text-xs leading-5">{children}</pre>
      </section>
      <div className="absolute top-1 right-1 rounded-md bg-log">
        <CopyButton label={`Copy: ${label}`} text={() => children} />
      </div>
    </div>
  );
}

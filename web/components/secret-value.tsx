// A secret that is shown this once, with the way to copy it.
import { CopyButton } from "./copy-button.tsx";

export interface SecretValueProps {
  name: string;
  /** Where it is needed. */
  hint: string;
  value: string;
}

export function SecretValue({ name, hint, value }: SecretValueProps) {
  return (
    <div>
      <dt className="font-medium text-sm">{name}</dt>
      <dd className="mt-1">
        <span className="flex items-start gap-1 rounded-md border border-line bg-log py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 select-all break-all py-1.5 font-mono text-xs leading-5">
            {value}
          </code>
          <CopyButton label={`Copy: ${name}`} text={() => value} />
        </span>
        <span className="mt-1 block text-ink-faint text-xs">{hint}</span>
      </dd>
    </div>
  );
}

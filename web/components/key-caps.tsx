// The keys of a shortcut, drawn as keys.
import { Fragment } from "react";

export function KeyCaps({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex items-center gap-1 text-ink-faint text-xs">
      {keys.map((key, index) => (
        <Fragment key={key}>
          {index > 0 && "then"}
          <kbd className="grid h-5 min-w-5 place-items-center rounded-sm border border-line-strong bg-canvas px-1 font-mono text-ink-soft text-xs">
            {key}
          </kbd>
        </Fragment>
      ))}
    </span>
  );
}

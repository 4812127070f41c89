// A labelled text input with its hint and its error.
import { type ComponentProps, type ReactNode, useId } from "react";

export interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Shown inside the input, at its end. */
  end?: ReactNode;
}

export function Field({ label, hint, error, end, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium text-sm">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          className={`h-10 w-full rounded-md border border-line-strong bg-surface px-3 text-lg shadow-card transition-colors placeholder:text-ink-faint hover:border-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad md:text-base ${end === undefined ? "" : "pr-11"}`}
          {...input}
        />
        {end}
      </div>
      <div id={`${id}-hint`} className="text-ink-faint text-xs empty:hidden">
        {error === undefined && hint}
      </div>
      <p id={`${id}-error`} className="font-medium text-bad text-xs empty:hidden">
        {error}
      </p>
    </div>
  );
}

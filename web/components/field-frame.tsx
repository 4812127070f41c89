// What stands round an input of a form: its label, its hint, its error.
import { type ReactNode, useId } from "react";

export interface FieldFrameProps {
  label: string;
  /** Where what stands round it says the same to the eye. */
  isLabelHidden?: boolean | undefined;
  hint?: ReactNode;
  error?: string | undefined;
}

/** What the input itself needs to be tied to them. */
export interface FramedInput {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string;
}

export const inputLook =
  "w-full rounded-md border border-line-strong bg-surface px-3 text-lg shadow-card transition-colors placeholder:text-ink-faint hover:border-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-bad md:text-base";

export function FieldFrame({
  label,
  isLabelHidden = false,
  hint,
  error,
  children,
}: FieldFrameProps & { children: (input: FramedInput) => ReactNode }) {
  const id = useId();
  const input = {
    id,
    "aria-invalid": error !== undefined,
    "aria-describedby": `${id}-hint ${id}-error`,
  };
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "block font-medium text-sm"}>
        {label}
      </label>
      <div className="relative">{children(input)}</div>
      <div id={`${id}-hint`} className="text-ink-faint text-xs empty:hidden">
        {error === undefined && hint}
      </div>
      <p id={`${id}-error`} className="break-words font-medium text-bad text-xs empty:hidden">
        {error}
      </p>
    </div>
  );
}

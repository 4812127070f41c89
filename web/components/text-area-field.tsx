// A labelled input of several lines with its hint and its error.
import type { ComponentProps } from "react";
import { FieldFrame, type FieldFrameProps, inputLook } from "./field-frame.tsx";

export interface TextAreaFieldProps extends ComponentProps<"textarea">, FieldFrameProps {
  label: string;
  /** Patterns, keys and the like. */
  isCode?: boolean;
}

export function TextAreaField({
  label,
  isLabelHidden,
  hint,
  error,
  isCode = false,
  ...input
}: TextAreaFieldProps) {
  return (
    <FieldFrame {...{ label, isLabelHidden, hint, error }}>
      {(frame) => (
        <textarea
          {...frame}
          rows={3}
          className={`block py-2 ${inputLook} ${isCode ? "font-mono md:text-sm" : ""}`}
          {...input}
        />
      )}
    </FieldFrame>
  );
}

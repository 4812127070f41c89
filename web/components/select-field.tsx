// A labelled choice with its hint and its error.
import type { ComponentProps } from "react";
import { FieldFrame, type FieldFrameProps, inputLook } from "./field-frame.tsx";

export interface SelectOption {
  value: string;
  words: string;
}

export interface SelectFieldProps extends ComponentProps<"select">, FieldFrameProps {
  label: string;
  options: readonly SelectOption[];
}

export function SelectField({
  label,
  isLabelHidden,
  hint,
  error,
  options,
  ...select
}: SelectFieldProps) {
  return (
    <FieldFrame {...{ label, isLabelHidden, hint, error }}>
      {(frame) => (
        <select {...frame} className={`h-10 ${inputLook}`} {...select}>
          {options.map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

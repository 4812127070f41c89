// A labelled text input with its hint and its error.
import type { ComponentProps, ReactNode } from "react";
import { FieldFrame, type FieldFrameProps, inputLook } from "./field-frame.tsx";

export interface FieldProps extends ComponentProps<"input">, FieldFrameProps {
  label: string;
  /** Shown inside the input, at its end. */
  end?: ReactNode;
}

export function Field({ label, isLabelHidden, hint, error, end, ...input }: FieldProps) {
  return (
    <FieldFrame {...{ label, isLabelHidden, hint, error }}>
      {(frame) => (
        <>
          <input
            {...frame}
            className={`h-10 ${inputLook} ${end === undefined ? "" : "pr-11"}`}
            {...input}
          />
          {end}
        </>
      )}
    </FieldFrame>
  );
}

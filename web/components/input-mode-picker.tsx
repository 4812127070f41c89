// Whether an input is written field by field or as JSON.
import { useId } from "react";
import type { InputMode } from "../job-form/use-job-input.ts";

const words = { fields: "Fields", json: "JSON" } as const;

export interface InputModePickerProps {
  mode: InputMode;
  onChange: (mode: InputMode) => void;
}

export function InputModePicker({ mode, onChange }: InputModePickerProps) {
  const name = useId();
  return (
    <fieldset className="flex gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">Write the input as</legend>
      {(["fields", "json"] as const).map((value) => (
        <label
          key={value}
          className="flex h-7 items-center justify-center rounded-sm px-2.5 text-ink-soft text-xs hover:text-ink has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent dark:has-checked:bg-line-strong"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === mode}
            onChange={() => onChange(value)}
            className="sr-only"
          />
          {words[value]}
        </label>
      ))}
    </fieldset>
  );
}

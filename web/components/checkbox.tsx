// Something that somebody says yes to.
import type { ReactNode } from "react";

export interface CheckboxProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
}

export function Checkbox({ isOn, onChange, children }: CheckboxProps) {
  return (
    <label className="flex w-fit cursor-pointer items-start gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.75 size-3.5 shrink-0 accent-accent"
      />
      <span>{children}</span>
    </label>
  );
}

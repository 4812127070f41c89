// A small button that is on or off, named by its hint.
import type { LucideIcon } from "lucide-react";

export interface ToggleButtonProps {
  label: string;
  icon: LucideIcon;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export function ToggleButton({ label, icon: Icon, isOn, onChange }: ToggleButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      onClick={() => onChange(!isOn)}
      className="grid size-8 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent"
    >
      <Icon className="size-4" aria-hidden />
    </button>
  );
}

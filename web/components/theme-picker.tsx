// Light, dark, or as the system has it.
import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { setTheme, themes, useTheme } from "../theme.ts";

const faces = {
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
  system: { icon: Monitor, label: "System" },
} as const;

export function ThemePicker() {
  const chosen = useTheme();
  const name = useId();
  return (
    <fieldset className="flex gap-0.5 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map((theme) => {
        const { icon: Icon, label } = faces[theme];
        return (
          <label
            key={theme}
            className="flex h-7 flex-1 items-center justify-center gap-1.5 rounded-sm px-2 text-ink-soft text-xs hover:text-ink has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent dark:has-checked:bg-line-strong"
          >
            <input
              type="radio"
              name={name}
              value={theme}
              checked={theme === chosen}
              onChange={() => setTheme(theme)}
              className="sr-only"
            />
            <Icon className="size-3.5" aria-hidden />
            {label}
          </label>
        );
      })}
    </fieldset>
  );
}

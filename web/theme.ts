// The chosen theme. `public/theme.js` applies it; this module only reads and changes the choice.
import { useSyncExternalStore } from "react";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

const key = "croft-theme";

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  dispatchEvent(new Event(key));
}

/** Changes what is seen now, whether it was chosen or came from the system. */
export function toggleTheme(): void {
  setTheme(document.documentElement.classList.contains("dark") ? "light" : "dark");
}

function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return themes.find((theme) => theme === stored) ?? "system";
}

function subscribe(onChange: () => void): () => void {
  addEventListener(key, onChange);
  addEventListener("storage", onChange);
  return () => {
    removeEventListener(key, onChange);
    removeEventListener("storage", onChange);
  };
}

// Keyboard shortcuts of one key or a short sequence, heard anywhere except where text is typed.
import { useEffect } from "react";

export interface Shortcut {
  /** Pressed one after the other: `["g", "o"]`. */
  keys: readonly string[];
  label: string;
  run: () => void;
}

const sequenceMs = 1_000;

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    let pressed: string[] = [];
    let lastAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isForUs(event)) return;
      if (event.timeStamp - lastAt > sequenceMs) pressed = [];
      lastAt = event.timeStamp;
      pressed = [...pressed, event.key];
      const candidates = shortcuts.filter(({ keys }) => pressed.every((key, i) => key === keys[i]));
      const complete = candidates.find(({ keys }) => keys.length === pressed.length);
      if (complete !== undefined || candidates.length === 0) pressed = [];
      if (complete === undefined) return;
      event.preventDefault();
      complete.run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [shortcuts]);
}

function isForUs(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing)
    return false;
  if (event.key === "Shift" || document.querySelector("dialog[open]") !== null) return false;
  const { target } = event;
  return !(
    target instanceof HTMLElement &&
    target.closest("input:not([type=radio]), textarea, select, [contenteditable]")
  );
}

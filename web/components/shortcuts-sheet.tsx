// The list of keyboard shortcuts, opened by `?`.
import type { Shortcut } from "../use-shortcuts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { KeyCaps } from "./key-caps.tsx";

export interface ShortcutsSheetProps {
  shortcuts: readonly Shortcut[];
  onClose: () => void;
}

export function ShortcutsSheet({ shortcuts, onClose }: ShortcutsSheetProps) {
  const rows = [...shortcuts, { keys: ["Esc"], label: "Close what is open" }];
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      <header className="flex items-center justify-between border-line border-b py-2.5 pr-2.5 pl-5">
        <h2 className="font-semibold">Keyboard shortcuts</h2>
        <Button look="ghost" onClick={onClose}>
          Close
        </Button>
      </header>
      <dl className="divide-y divide-line px-5 py-1">
        {rows.map(({ keys, label }) => (
          <div key={label} className="flex h-10 items-center justify-between">
            <dt>{label}</dt>
            <dd>
              <KeyCaps keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

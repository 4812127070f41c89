// Who is signed in, with the theme, the shortcuts and the way out.
import type { CurrentSession } from "@croft/contract";
import { ChevronsUpDown, Keyboard, LogOut } from "lucide-react";
import { useId } from "react";
import { useSignOut } from "../use-sign-out.ts";
import { KeyCaps } from "./key-caps.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { ThemePicker } from "./theme-picker.tsx";

export interface UserMenuProps {
  admin: CurrentSession["admin"];
  onShowShortcuts: () => void;
}

const row = "flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm hover:bg-hover";

export function UserMenu({ admin, onShowShortcuts }: UserMenuProps) {
  const menu = useId();
  const signOut = useSignOut();
  return (
    <>
      <button
        type="button"
        popoverTarget={menu}
        aria-label={`Account of ${admin.name}`}
        className="flex w-full items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover"
      >
        <Initials name={admin.name} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium text-sm leading-4">{admin.name}</span>
          <span className="block truncate text-ink-faint text-xs leading-4">{admin.role}</span>
        </span>
        <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
      </button>
      <section
        id={menu}
        popover="auto"
        aria-label="Account"
        className="inset-auto bottom-15 left-2 m-0 w-56 rounded-lg border border-line bg-surface p-1.5 text-ink shadow-float"
      >
        <div className="px-2 pt-1 pb-2.5">
          <p className="break-words font-medium text-sm">{admin.name}</p>
          <p className="break-all text-ink-faint text-xs">{admin.email}</p>
        </div>
        <ThemePicker />
        <div className="mt-1.5 border-line border-t pt-1.5">
          <button
            type="button"
            popoverTarget={menu}
            popoverTargetAction="hide"
            onClick={onShowShortcuts}
            className={row}
          >
            <Keyboard className="size-4 text-ink-faint" aria-hidden />
            <span className="flex-1 text-left">Keyboard shortcuts</span>
            <KeyCaps keys={["?"]} />
          </button>
          <button
            type="button"
            aria-busy={signOut.isPending}
            onClick={() => signOut.isPending || signOut.mutate()}
            className={row}
          >
            <LogOut className="size-4 text-ink-faint" aria-hidden />
            Sign out
          </button>
        </div>
        <div role="alert">{signOut.isError && <ProblemNotice error={signOut.error} />}</div>
      </section>
    </>
  );
}

function Initials({ name }: { name: string }) {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.at(0) ?? "")
    .join("");
  return (
    <span
      aria-hidden
      className="grid size-7 shrink-0 place-items-center rounded-md bg-accent-soft font-semibold text-accent text-xs uppercase"
    >
      {letters}
    </span>
  );
}

// What stands round every page of a signed-in admin.
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { navigation } from "../navigation.ts";
import { sessionQuery } from "../session-query.ts";
import { toggleTheme } from "../theme.ts";
import { useApi } from "../use-api.ts";
import { type Shortcut, useShortcuts } from "../use-shortcuts.ts";
import { MobileBar } from "./mobile-bar.tsx";
import { ShortcutsSheet } from "./shortcuts-sheet.tsx";
import { Sidebar } from "./sidebar.tsx";

export function Shell() {
  const [sheetOpen, setSheetOpen] = useState(false);
  const shortcuts = useShellShortcuts(setSheetOpen);
  const session = useSession();
  if (session === null) return null;
  const sidebar = <Sidebar admin={session.admin} onShowShortcuts={() => setSheetOpen(true)} />;
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <SkipLink />
      <aside aria-label="Sidebar" className="sticky top-0 h-dvh border-line border-r max-md:hidden">
        {sidebar}
      </aside>
      <div>
        <MobileBar>{sidebar}</MobileBar>
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto max-w-6xl px-4 pt-5 pb-16 outline-none md:px-8 md:pt-6"
        >
          <Outlet />
        </main>
      </div>
      {sheetOpen && <ShortcutsSheet shortcuts={shortcuts} onClose={() => setSheetOpen(false)} />}
    </div>
  );
}

/** Renewed on focus: another tab may have signed out, or in again with another CSRF token. */
function useSession() {
  const router = useRouter();
  const { data: session = null } = useQuery(sessionQuery(useApi()));
  useEffect(() => {
    if (session === null) void router.invalidate();
  }, [session, router]);
  return session;
}

function useShellShortcuts(setSheetOpen: (open: boolean) => void): readonly Shortcut[] {
  const navigate = useNavigate();
  const shortcuts = useMemo(() => {
    const pages = navigation
      .flatMap(({ items }) => items)
      .map(({ to, label, key }) => ({
        keys: ["g", key],
        label: `Go to ${label}`,
        run: () => void navigate({ to }),
      }));
    return [
      ...pages,
      { keys: ["t"], label: "Switch between light and dark", run: toggleTheme },
      { keys: ["?"], label: "Show this list", run: () => setSheetOpen(true) },
    ];
  }, [navigate, setSheetOpen]);
  useShortcuts(shortcuts);
  return shortcuts;
}

function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-20 rounded-md bg-primary px-3 py-2 font-medium text-on-primary text-sm focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  );
}

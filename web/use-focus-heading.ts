// Moves the focus to the new page's heading after a navigation, so that a screen reader reads on from there.
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

export function useFocusHeading(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        // The first page keeps the browser's own starting point.
        if (fromLocation === undefined || !pathChanged) return;
        document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}

// How long something took; while it goes on, a clock.
import { formatElapsed } from "../format-duration.ts";
import { useNow } from "../use-now.ts";

export interface ElapsedProps {
  from: string;
  /** Undefined or null: it goes on. */
  to?: string | null | undefined;
}

export function Elapsed({ from, to }: ElapsedProps) {
  return to == null ? <Clock from={from} /> : formatElapsed(Date.parse(to) - Date.parse(from));
}

function Clock({ from }: { from: string }) {
  const now = useNow(1_000);
  // Whole seconds: the browser's clock is not the server's, and digits that are not known should not be shown.
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(from)) / 1000));
  return seconds === 0 ? "0 s" : formatElapsed(seconds * 1000);
}

// One line about files that could not be removed, however many they are.
import type { Log } from "../log.ts";
import type { FailedRemoval } from "./asset-store.ts";

export function tellFailed(log: Log, failed: readonly FailedRemoval[]): void {
  const [first] = failed;
  if (first === undefined) return;
  log.warn(
    { err: first.error, path: first.place, files: failed.length },
    "files that nobody needs cannot be removed, and take their room: give Croft the right to remove them, or remove them yourself; it is tried again",
  );
}

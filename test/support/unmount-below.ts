// Takes away what a failed test has left mounted, so that its directory can be removed.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";

/** To be called after the directory was made: what is registered last runs first. */
export function unmountWhenFinished(directory: string): void {
  onTestFinished(() => unmountBelow(directory));
}

export function unmountBelow(directory: string): void {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((path) => path.startsWith(directory));
  for (const path of points.reverse()) execFileSync("umount", ["-l", path]);
}

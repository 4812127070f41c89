// Overlay mounts: a writable layer over read-only ones, in the time of one system call.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { runTool } from "../command/run-tool.ts";
import { asDiskError } from "./disk-error.ts";

export interface OverlayPlan {
  /** Lower layers are named relative to this directory: the kernel takes at most 4 KiB of options. */
  readonly base: string;
  /** The topmost first. */
  readonly layers: readonly string[];
  readonly upper: string;
  readonly work: string;
  readonly target: string;
}

/**
 * `volatile`: an unmount would otherwise sync the whole filesystem (213 ms). It also means that the same upper layer can
 * never be mounted again. `redirect_dir`: without it every rename of a directory fails. `index`, which some kernels have
 * on: a file of two names that is copied up must get a number of its own (see `settleFiles`).
 */
const OPTIONS = "volatile,redirect_dir=on,index=off";

export class MountError extends Error {
  override readonly name = "MountError";
  readonly code = "mount-failed";
}

export async function mountOverlay(plan: OverlayPlan): Promise<void> {
  const { base, target } = plan;
  const lower = plan.layers.map((layer) => relative(base, layer)).join(":");
  const place = `upperdir=${relative(base, plan.upper)},workdir=${relative(base, plan.work)}`;
  const options = `lowerdir=${lower},${place},${OPTIONS}`;
  const args = ["-n", "-i", "-t", "overlay", "overlay", "-o", options, target];
  const { exitCode, stderr } = await runTool("mount", args, { cwd: base });
  if (exitCode === 0) return;
  const said = stderr.trim().split("\n")[0] ?? "";
  throw asDiskError(new MountError(`cannot mount an overlay: ${said || `exit code ${exitCode}`}`));
}

/** False when somebody is still in it. */
export async function unmount(path: string): Promise<boolean> {
  const { exitCode, stderr } = await runTool("umount", ["-n", "-i", path]);
  if (exitCode === 0 || !isMounted(path)) return true;
  if (/busy/.test(stderr)) return false;
  throw new MountError(`cannot unmount '${path}': ${stderr.trim()}`);
}

/** Out of sight at once; whoever is in it keeps it until it ends. */
export async function unmountLazily(path: string): Promise<void> {
  const { exitCode, stderr } = await runTool("umount", ["-n", "-i", "-l", path]);
  if (exitCode !== 0 && isMounted(path)) {
    throw new MountError(`cannot unmount '${path}': ${stderr.trim()}`);
  }
}

export function isMounted(path: string): boolean {
  return mountPoints().includes(path);
}

/** All mounts below a directory, the innermost first. */
export function mountsBelow(directory: string): string[] {
  const isBelow = (path: string) => path.startsWith(`${directory}/`);
  return mountPoints().filter(isBelow).reverse();
}

function mountPoints(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/mountinfo", "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // not Linux: nothing of ours is mounted
    throw error;
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => unescapeOctal(line.split(" ")[4] ?? ""));
}

/** Spaces and the like are written as `\040`. */
function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

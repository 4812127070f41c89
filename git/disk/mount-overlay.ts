// Overlay mounts: a writable layer over read-only ones, in the time of one system call.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolShell } from "../command/tool-shell.ts";
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

const LEAVE_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 20;

export class MountError extends Error {
  override readonly name = "MountError";
  readonly code = "mount-failed";
}

/** One for all: the kernel makes one mount at a time anyway. Starts when it is first needed. */
const shell = new ToolShell();

export async function mountOverlay(plan: OverlayPlan): Promise<void> {
  const { base, target } = plan;
  const lower = plan.layers.map((layer) => relative(base, layer)).join(":");
  const place = `upperdir=${relative(base, plan.upper)},workdir=${relative(base, plan.work)}`;
  const options = `lowerdir=${lower},${place},${OPTIONS}`;
  const args = ["-n", "-i", "-t", "overlay", "overlay", "-o", options, target];
  const { exitCode, said } = await shell.run("mount", args, { cwd: base });
  if (exitCode === 0) return;
  const reason = said.trim().split("\n")[0] || `exit code ${exitCode}`;
  throw asDiskError(new MountError(`cannot mount an overlay: ${reason}`));
}

/** False when somebody is still in it. */
export async function unmount(path: string): Promise<boolean> {
  const { exitCode, said } = await shell.run("umount", ["-n", "-i", path]);
  if (exitCode === 0 || !isMounted(path)) return true;
  if (/busy/.test(said)) return false;
  throw new MountError(`cannot unmount '${path}': ${said.trim()}`);
}

/** Out of sight at once; whoever is in it keeps it until it ends. */
export async function unmountLazily(path: string): Promise<void> {
  const { exitCode, said } = await shell.run("umount", ["-n", "-i", "-l", path]);
  if (exitCode !== 0 && isMounted(path)) {
    throw new MountError(`cannot unmount '${path}': ${said.trim()}`);
  }
}

/** Somebody who only looks in (a scanner, say) leaves again soon. */
export async function unmountPatiently(path: string): Promise<void> {
  for (const giveUpAt = Date.now() + LEAVE_WITHIN_MS; ; await delay(LOOK_EVERY_MS)) {
    try {
      if (await unmount(path)) return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
    if (Date.now() > giveUpAt) throw new MountError(`cannot unmount '${path}': it is in use`);
  }
}

/** Whatever is still mounted below; in the end by force, because all of it is to be deleted. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const path of mountsBelow(directory)) {
    const isGone = await unmount(path).catch(() => false);
    if (!isGone) await unmountLazily(path);
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

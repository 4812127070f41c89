// What a template says of itself. One without a marker that can be trusted does not exist.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { CommitId } from "../remote/commit-id.ts";

export interface TemplateMarker {
  readonly version: 1;
  readonly commit: CommitId;
  /** Names of the directories of its layers, its own first. */
  readonly layers: readonly string[];
  readonly files: number;
  /** Of the whole tree. */
  readonly bytes: number;
  /** Of this layer alone. */
  readonly layerBytes: number;
  /** The running of the kernel it was made in: until it is synced, it is worth nothing after a power loss. */
  readonly boot: string;
  readonly isSynced: boolean;
}

export const MARKER = "template.json";

let boot: string | undefined;

/** Only Linux has overlays, and so templates. */
export function currentBoot(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return boot;
}

/** Undefined when it is missing, unreadable, of another, or from before a power loss that may have damaged the files. */
export function readMarker(directory: string): TemplateMarker | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, MARKER), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  const marker = parse(text);
  if (marker?.version !== 1 || marker.layers[0] !== basename(directory)) return undefined;
  return marker.isSynced || marker.boot === currentBoot() ? marker : undefined;
}

/** Whole or not at all. */
export function writeMarker(directory: string, marker: TemplateMarker): void {
  const draft = join(directory, `${MARKER}.${process.pid}`);
  writeFileSync(draft, JSON.stringify(marker));
  renameSync(draft, join(directory, MARKER));
}

function parse(text: string): TemplateMarker | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut short by a power loss
  }
}

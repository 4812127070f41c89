// What Croft needs of this machine and whether it is there, found out by trying; leaves nothing behind.
import { type Check, diagnoseGit } from "@croft/git";
import type { Config } from "./config/config.ts";
import { inspectDataDirectory } from "./data-directory/inspect-data-directory.ts";
import { inspectDatabase } from "./database/inspect-database.ts";

export interface Diagnosis {
  /** False when something failed; warnings are allowed. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Needs neither a running server nor a database, and disturbs neither. */
export async function diagnose(config: Config, signal?: AbortSignal): Promise<Diagnosis> {
  const { check, place } = await inspectDataDirectory(config.data);
  const ofGit = await diagnoseGit(place, signal);
  signal?.throwIfAborted();
  const checks = [check, ...ofGit, await inspectDatabase(config, place)];
  return { ok: checks.every(({ outcome }) => outcome !== "failed"), checks };
}

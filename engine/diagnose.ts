// What Croft needs of this machine and whether it is there, found out by trying; leaves nothing behind.
import { type Check, checkNamed, diagnoseGit } from "@croft/git";
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
  const ofGit = await diagnoseGit({ ...place, reserveBytes: config.disk.reserveBytes }, signal);
  signal?.throwIfAborted();
  const inForce = ofGit.map((each) => asSandboxed(each, config.job.sandbox));
  const checks = [check, ...inForce, await inspectDatabase(config, place)];
  return { ok: checks.every(({ outcome }) => outcome !== "failed"), checks };
}

/** What the machine can is one thing, what the operator has decided the other. */
function asSandboxed(check: Check, setting: Config["job"]["sandbox"]): Check {
  const { name, outcome, detail, advice } = check;
  if (name !== "sandbox" && name !== "job-user") return check;
  if (setting === "off") {
    return checkNamed(name).warning(
      `switched off by job.sandbox, unless a step asks for it (${detail})`,
      "run only jobs that you trust",
    );
  }
  if (setting === "on" && outcome !== "ok") {
    return checkNamed(name).failed(`${detail}; job.sandbox is on: no command runs`, advice);
  }
  return check;
}

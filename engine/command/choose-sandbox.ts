// Whether a command runs in the sandbox: what its step asks for, within what the operator allows.
import type { Ability } from "@croft/git";
import type { Config } from "../config/config.ts";
import { JobFailure } from "../jobs/job-failure.ts";

export type SandboxWish = Config["job"]["sandbox"];

export interface SandboxQuestion {
  readonly asked: SandboxWish;
  readonly setting: SandboxWish;
  readonly owner: string;
  readonly ability: Ability;
}

/**
 * `off`: without, whatever the machine has. Apps do not get out of it by asking: without a sandbox a command sees all that
 * the jobs' user may see, other workspaces too.
 */
export function chooseSandbox({
  asked,
  setting,
  owner,
  ability,
}: SandboxQuestion): "off" | undefined {
  if (asked === "off") {
    const mayLeave = setting === "off" || (setting === "auto" && owner === "local");
    if (mayLeave) return "off";
    const message =
      setting === "on"
        ? "'sandbox: off' is not allowed here: the setting job.sandbox is on"
        : "'sandbox: off' is only for this machine's own people, unless the setting job.sandbox is off";
    throw new JobFailure("invalid", "sandbox-required", message);
  }
  if (asked === "auto" && setting === "off") return "off";
  const isNeeded = asked === "on" || setting === "on";
  if (!isNeeded || ability.isPossible) return undefined;
  const who = asked === "on" ? "the step asks for a sandbox" : "the setting job.sandbox is on";
  throw new JobFailure("invalid", "no-sandbox", `${who}, and there is none: ${ability.reason}`);
}

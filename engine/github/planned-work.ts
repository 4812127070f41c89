// Work that a trigger asks for, before and after it is started.
import type { JobPriority } from "@croft/contract";
import type { SubmittedJob } from "../jobs/submit-jobs.ts";
import type { GithubEvent } from "./github-event.ts";

export interface PlannedWork {
  /** Among all triggers: `pipeline:review`, `trigger:job:review`. */
  readonly trigger: string;
  readonly supersede: boolean;
  readonly priority: JobPriority;
  /** With expressions; undefined: what is usual. */
  readonly key: string | undefined;
  readonly work: PlannedJob | PlannedRun | PlannedProblem;
}

/** As its trigger says it: texts of the input may be templates. */
export interface WordedJob {
  readonly kind: "job";
  readonly type: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** It was checked: all that is missing is its place in the queue. */
export interface PlannedJob {
  readonly kind: "job";
  readonly job: SubmittedJob;
}

export interface PlannedRun {
  readonly kind: "run";
  /** Of a stored pipeline of the admins'. */
  readonly pipeline: { readonly id: string; readonly name: string; readonly version: number };
  readonly text: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Its code is that of a fork which nobody trusts. */
  readonly withholdsSecrets: boolean;
  /** Of the pull request, when the event happened. */
  readonly head: string | undefined;
}

/** Nothing that could be started; why is told at the event. */
export interface PlannedProblem {
  readonly kind: "problem";
  readonly problem: string;
}

export interface StartedEffect {
  readonly trigger: string;
  readonly jobId?: string;
  readonly runId?: string;
  /** Why it started nothing. */
  readonly problem?: string;
}

/** All work belongs to the installation. */
export function ownerOf({ installation }: Pick<GithubEvent, "installation">): string {
  return `installation:${installation}`;
}

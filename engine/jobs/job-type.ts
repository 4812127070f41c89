// What can be done: job types by name, each with the shape of its input and the function that does it.
import type { z } from "zod";
import { EngineError } from "../engine-error.ts";
import type { SecretMask } from "../logs/secret-mask.ts";

/** One attempt of a job, as its handler sees it. */
export interface Attempt<Input = unknown> {
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly attempt: number;
  readonly input: Input;
  /** Aborted when the job is cancelled, its time is over, or this worker may not go on. */
  readonly signal: AbortSignal;
  /**
   * Appends to the job's log; known secrets and what looks like one are blotted out. A promise: it cannot be stored as
   * fast as it comes, and whoever writes much should wait for it.
   */
  log(text: string | Buffer, stream?: "stdout" | "stderr" | "croft"): Promise<void> | undefined;
  /**
   * Values that must not stand in the log, the result or an error, whoever puts them there. Returns all of the attempt so
   * far, for texts that go elsewhere.
   */
  mask(secrets: readonly string[]): SecretMask;
  /** From now on, what this user runs in the directory ends when this worker may not go on, even if it is stopped itself. */
  guard(directory: string, uid: number): Promise<void>;
  /** From 0 to 1; the last word within a moment counts. */
  progress(fraction: number | undefined, note?: string): void;
}

export interface JobType<Input = unknown> {
  readonly name: string;
  readonly input: z.ZodType<Input>;
  /** Carries part of a run: nobody submits it by itself. */
  readonly isOfRuns?: boolean | undefined;
  /** When it is done, its place in the lane stays taken, by the run it belongs to. */
  readonly holdsLane?: boolean | undefined;
  /** Fields of its result that others go by: never changed, also where a secret happens to be a part of a name. */
  readonly fixedFields?: readonly string[] | undefined;
  /** What it returns is the job's result, and must be JSON. */
  run(attempt: Attempt<Input>): Promise<unknown>;
}

export type JobTypes = ReadonlyMap<string, JobType>;

/** Keeps the type of the input between its schema and its function. */
export function defineJobType<Input>(type: JobType<Input>): JobType {
  return type as unknown as JobType;
}

export function jobTypes(...types: readonly JobType[]): JobTypes {
  return new Map(types.map((type) => [type.name, type]));
}

export function parseInput(type: JobType, input: unknown): unknown {
  const parsed = type.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map(({ path, message }) =>
    [["input", ...path].join("."), message].join(": "),
  );
  throw new EngineError("invalid-input", `not valid: ${reasons.join("; ")}`);
}

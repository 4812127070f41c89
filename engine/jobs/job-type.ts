// What can be done: job types by name, each with the shape of its input and the function that does it.
import type { HostileFile } from "../assets/open-inside.ts";
import { EngineError } from "../engine-error.ts";
import type { SecretMask } from "../logs/secret-mask.ts";
import { type InputReading, type InputSchema, readInput } from "./input-schema.ts";

/** One attempt of a job, as its handler sees it. */
export interface Attempt<Input = unknown> {
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly attempt: number;
  /** What its owner made it for; what it makes is linked to the same. */
  readonly sourceTaskId: string | undefined;
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
  readonly assets: AttemptAssets;
}

/** The same attempt for a part of it, which may end earlier. */
export function withSignal(whole: Attempt, signal: AbortSignal): Attempt {
  const { id, owner, key, type, attempt, sourceTaskId, input } = whole;
  const { log, mask, guard, progress } = whole;
  return {
    ...{ id, owner, key, type, attempt, sourceTaskId, input, log, mask, guard, progress, signal },
    get assets() {
      return whole.assets;
    },
  };
}

/** Files of a job. Stored at once; there when the job is done, with its end, and never before or without it. */
export interface AttemptAssets {
  put(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    options?: PutOptions | undefined,
  ): Promise<PutAsset>;
  /** From a directory that the job may still be changing. */
  putFile(name: string, file: HostileFile, options?: PutOptions | undefined): Promise<PutAsset>;
}

export interface PutOptions {
  readonly mediaType?: string | undefined;
  /** What it was made from. */
  readonly commit?: string | undefined;
}

export interface PutAsset {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string;
}

export interface JobType<Input = unknown> {
  readonly name: string;
  /** For whoever chooses among the types. */
  readonly description?: string | undefined;
  /** Whose it is; Croft's own unless it is said. */
  readonly source?: "built-in" | "project" | undefined;
  readonly input: InputSchema<Input>;
  /** Its input is read where it runs: the attempt has it as it was submitted. */
  readonly readsOwnInput?: boolean | undefined;
  /** Instead of its schema, for one that must not run in this process. */
  checkInput?(input: unknown, limitMs: number): Promise<InputReading>;
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

/** With the schema of the type, wherever that may run. */
export async function parseInput(type: JobType, input: unknown, limitMs: number): Promise<unknown> {
  const read = await (type.checkInput?.(input, limitMs) ?? readInput(type.input, input));
  if (read.fault === undefined) return read.value;
  throw new EngineError("invalid-input", read.fault, { details: { fields: read.fields } });
}

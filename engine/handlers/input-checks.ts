// Checks inputs of a project's handlers in processes beside this one, because a schema is a project's code as well.
import type { z } from "zod";
import { EngineError } from "../engine-error.ts";
import {
  CHECK_LIMIT_MS,
  failedReading,
  type InputReading,
  slowCheck,
  within,
} from "../jobs/input-schema.ts";
import { describeFailure, JobFailure } from "../jobs/job-failure.ts";
import type { Log } from "../log.ts";
import { SecretMask } from "../logs/secret-mask.ts";
import { CheckerPool, type CheckerPoolOptions } from "./checker-pool.ts";
import { HandlerEnded } from "./handler-ended.ts";
import { CheckedInput } from "./handler-messages.ts";

export interface InputChecksOptions extends Omit<CheckerPoolOptions, "onError"> {
  /** What must not be told to whoever submits. */
  readonly secrets: readonly string[];
  readonly log: Log;
}

/** A schema that loops, exits or leaves a rejected promise behind costs its own submission and no other. */
export class InputChecks {
  readonly #options: InputChecksOptions;
  readonly #mask: SecretMask;
  readonly #pool: CheckerPool;

  constructor(options: InputChecksOptions) {
    this.#options = options;
    this.#mask = new SecretMask(options.secrets);
    this.#pool = new CheckerPool({
      ...options,
      onError: (error) => options.log.warn({ err: error }, "a process of schemas did not end"),
    });
  }

  /** `limitMs` is for all of it; the schema itself never has more than `CHECK_LIMIT_MS`. */
  async check(type: string, input: unknown, limitMs: number): Promise<InputReading> {
    const endAt = performance.now() + limitMs;
    try {
      const fault = await this.#check(type, input, endAt);
      return fault === null ? { value: input } : this.#blotted(fault);
    } catch (error) {
      this.#options.log.warn({ type, err: error }, "an input could not be checked");
      if (error instanceof EngineError) throw error;
      const { message } = describeFailure(error);
      if (isOfSchema(error)) return this.#blotted(failedReading(message));
      const what = this.#mask.blot(message);
      const told = `inputs of '${type}' cannot be checked at the moment: ${what}`;
      throw new EngineError("unavailable", told, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #check(type: string, input: unknown, endAt: number): Promise<z.infer<typeof CheckedInput>> {
    const left = () => Math.max(0, endAt - performance.now());
    const checker = await this.#pool.take(left());
    const isFirst = checker.schemas.jobs === 0;
    try {
      const checked = checker.schemas.check(type, input);
      const rest = left(); // of which the process may have taken its part
      const said = CheckedInput.parse(
        await (rest < CHECK_LIMIT_MS
          ? within(rest, checked)
          : within(CHECK_LIMIT_MS, checked, slowCheck)),
      );
      void this.#pool.give(checker);
      return said;
    } catch (error) {
      void this.#pool.end(checker);
      // Perhaps by what an earlier check has left there; in a process of its own, it is its own doing.
      if (error instanceof HandlerEnded && !isFirst) return await this.#check(type, input, endAt);
      throw error;
    }
  }

  #blotted<Reading extends InputReading>(reading: Reading): Reading {
    return this.#mask.blotAll(reading) as Reading;
  }
}

/** What the input has made of it, and would make of it again. */
function isOfSchema(error: unknown): boolean {
  if (error instanceof HandlerEnded) return error.hasBegun;
  return error instanceof JobFailure && !["handler-start", "unavailable"].includes(error.code);
}

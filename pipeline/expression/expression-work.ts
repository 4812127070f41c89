// What the evaluation of expressions may cost: anybody writes them, and the whole process waits for them.
import type { data } from "@actions/expressions";
import { EXPRESSION_WORK_MAX } from "../pipeline-limits.ts";
import { ExpressionFailure } from "./expression-failure.ts";
import type { Template } from "./template.ts";

/** Each unit takes some ten nanoseconds; what is read or made of a text counts one for each character. */
export const COST = {
  /** A word or sign of an expression. */
  node: 10,
  /** A value that goes in or comes out. */
  value: 10,
  /** One that is made a text of, or compared. */
  compared: 30,
  /** Every `${{ }}`, whatever it says. */
  expression: 300,
  /** A character of a text that is taken apart. */
  compiled: 100,
} as const;

/**
 * Shared by all that is evaluated together: a decision about a step, the texts of its job, the start of a run. It counts
 * work, not time, so that the same pipeline with the same values fails always or never.
 */
export class ExpressionWork {
  /** What `fromJSON` has read, by its text. */
  readonly parsed = new Map<string, data.ExpressionData>();
  readonly compiled = new Map<string, Template>();
  /** Values that were brought in. */
  readonly made = new Map<object, data.ExpressionData>();
  #left: number = EXPRESSION_WORK_MAX;

  spend(units: number): void {
    this.#left -= units;
    if (this.#left >= 0) return;
    throw new ExpressionFailure(
      "the expressions read or make too much, all together; let a step do it, and use its outputs",
    );
  }
}

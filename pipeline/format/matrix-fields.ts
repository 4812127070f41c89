// What may be said about a matrix: lists by name, and how their items run.
import { z } from "zod";
import { MATRIX_ITEMS_MAX } from "../pipeline-limits.ts";
import { shortText } from "./field.ts";

const expression = z
  .string()
  .regex(
    /^\s*\$\{\{[\s\S]*\}\}\s*$/,
    `expected a list, or one expression \${{ … }} that gives a list`,
  );
const values = z.array(z.unknown()).max(MATRIX_ITEMS_MAX, `at most ${MATRIX_ITEMS_MAX} items`);
const combinations = z.union([
  z
    .array(z.record(z.string(), z.unknown()))
    .max(MATRIX_ITEMS_MAX, `at most ${MATRIX_ITEMS_MAX} items`),
  expression,
]);

const options = {
  id: shortText.optional().describe(`the item's id, from its values: \${{ matrix.task.id }}`),
  "max-parallel": z
    .int()
    .min(1, "at least 1")
    .max(MATRIX_ITEMS_MAX, `at most ${MATRIX_ITEMS_MAX}`)
    .optional()
    .describe("how many items run at once; all without"),
  "fail-fast": z.boolean().optional().describe("a failed item cancels the others; false without"),
  "depends-on": expression.optional().describe("gives the ids of the items that an item waits for"),
  include: combinations.optional().describe("more items, as in GitHub Actions"),
  exclude: combinations.optional().describe("items to leave out"),
};

/** All other keys are lists. */
export const MATRIX_OPTIONS: readonly string[] = Object.keys(options);
export const matrixFields = z.object(options).catchall(z.union([values, expression]));
export type MatrixFields = z.infer<typeof matrixFields>;

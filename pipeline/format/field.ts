// The building blocks of the format: names, texts, durations, and objects that know their keys.
import { z } from "zod";

/** Steps, inputs, artifacts, outputs, matrix values: usable in expressions, paths and refs as they are. */
export const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const NAME_RULE =
  "a name begins with a letter and has letters, digits, '_' and '-' only, at most 64";
export const name = z.string().regex(NAME_PATTERN, NAME_RULE);

const TEXT_LENGTH_MAX = 256 * 1024;
const SHORT_TEXT_LENGTH_MAX = 2000;

/** May contain `${{ … }}`. */
export const text = z.string().min(1, "must not be empty").max(TEXT_LENGTH_MAX, "is too long");
export const shortText = z
  .string()
  .min(1, "must not be empty")
  .max(SHORT_TEXT_LENGTH_MAX, `is too long: at most ${SHORT_TEXT_LENGTH_MAX} characters`);

export const DURATION_PATTERN = /^(\d{1,9})(ms|s|m|h|d)$/;
export const duration = z
  .string()
  .regex(DURATION_PATTERN, "expected a duration such as 500ms, 30s, 10m, 24h or 7d");

export const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** One or several: `needs: plan` is `needs: [plan]`. */
export function oneOrMore<Item extends z.ZodType>(item: Item) {
  return z.union([item, z.array(item).max(LIST_MAX, `at most ${LIST_MAX}`)]);
}
const LIST_MAX = 1000;

/** Carries its known keys in the message of an unknown one, from which the hint is made. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(shape).join(" ") : undefined),
  });
}

export function named<Value extends z.ZodType>(value: Value) {
  return z.record(name, value);
}

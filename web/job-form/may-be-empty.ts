// Whether no characters at all are a text that may be sent, and whether a field that has none means it.
import type { Shape } from "./shape.ts";

/**
 * Whether an empty field means that. Where nothing is said of empty texts, they are valid, and yet a field that nobody touched
 * is more likely to have been overlooked: it is asked for, and JSON says it where it is meant.
 */
export function meansEmpty(shape: Shape, isRequired: boolean): boolean {
  if (!mayBeEmpty(shape)) return false;
  return (
    shape.start !== undefined || (isRequired && shape.kind === "text" && shape.lengthMin === 0)
  );
}

export function mayBeEmpty(shape: Shape): boolean {
  if (shape.kind !== "text" || shape.format !== undefined) return false;
  return (shape.lengthMin ?? 0) === 0 && (shape.pattern === undefined || fits(shape.pattern));
}

function fits(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test("");
  } catch {
    return false; // written for another kind of expressions
  }
}

// Whether no characters at all are a text that somebody may mean.
import type { Shape } from "./shape.ts";

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

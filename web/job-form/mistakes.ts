// Which field of a form tells which mistake, also where the server names something deeper than any field.
import { ProblemError } from "../problem-error.ts";
import { sentence } from "../sentence.ts";
import type { Draft } from "./draft.ts";
import type { Mistakes } from "./read-draft.ts";
import type { Shape } from "./shape.ts";

export function mistakesIn(error: unknown): Mistakes {
  const errors = error instanceof ProblemError ? error.errors : [];
  return new Map(errors.map(({ path, message }) => [path, sentence(message)] as const).reverse());
}

/** For a field that has no fields within: also of what is inside of its value. */
export function mistakeWithin(mistakes: Mistakes, path: string): string | undefined {
  const exact = mistakes.get(path);
  if (exact !== undefined) return exact;
  for (const [at, message] of mistakes) {
    if (at.startsWith(`${path}.`)) return `${at.slice(path.length + 1)}: ${message}`;
  }
  return undefined;
}

/** Those that no field tells: of the input as a whole, or of something that the form does not have. */
export function untold(mistakes: Mistakes, shape: Shape, draft: Draft): string[] {
  const places = placesOf(shape, draft, "input").filter(({ path }) => path !== "input");
  return [...mistakes].flatMap(([at, message]) => {
    const isTold = places.some(
      ({ path, isWhole }) => at === path || (isWhole && at.startsWith(`${path}.`)),
    );
    if (isTold) return [];
    return [at === "input" ? message : `${at.replace(/^input\./, "")}: ${message}`];
  });
}

interface FieldPlace {
  readonly path: string;
  /** Tells also what is deeper. */
  readonly isWhole: boolean;
}

function placesOf(shape: Shape, draft: Draft, path: string): FieldPlace[] {
  const here = { path, isWhole: false };
  switch (draft.kind) {
    case "list":
      if (shape.kind !== "list") return [here];
      return [
        here,
        ...draft.items.flatMap((item, at) => placesOf(shape.item, item.draft, `${path}.${at}`)),
      ];
    case "record":
      if (shape.kind !== "record") return [here];
      return [
        here,
        ...draft.entries.flatMap((one) => placesOf(shape.value, one.draft, `${path}.${one.name}`)),
      ];
    case "object":
      if (shape.kind !== "object") return [here];
      return [
        here,
        ...shape.fields.flatMap((field) => {
          const inner = draft.fields?.get(field.name);
          if (inner === undefined || inner.kind === "constant") return [];
          return placesOf(field.shape, inner, `${path}.${field.name}`);
        }),
      ];
    case "union": {
      const option = shape.kind === "union" ? shape.options[draft.chosen ?? -1] : undefined;
      const inner = option === undefined ? [] : placesOf(option.shape, draft.draft, path);
      return [here, ...inner];
    }
    case "constant":
      return [];
    case "text":
      return [{ path, isWhole: true }];
  }
}

// The value that a draft stands for, and what is wrong with it as far as that can be told here: the server checks the rest.
import type { Draft, RecordEntry } from "./draft.ts";
import { mayBeEmpty, meansEmpty } from "./may-be-empty.ts";
import type { Shape } from "./shape.ts";

/** Messages by the path of their field, `input.a.0.b`. */
export type Mistakes = ReadonlyMap<string, string>;

export interface DraftReading {
  /** Undefined: nothing was given. */
  readonly value: unknown;
  readonly mistakes: Mistakes;
}

interface Place {
  readonly path: string;
  readonly isRequired: boolean;
  readonly mistakes: Map<string, string>;
}

const needed = "It is needed.";
const neededOrJson = "It is needed. If it is meant to be empty, say so as JSON.";

export function readDraft(shape: Shape, draft: Draft): DraftReading {
  const mistakes = new Map<string, string>();
  const value = read(shape, draft, { path: "input", isRequired: true, mistakes });
  return { value, mistakes };
}

function read(shape: Shape, draft: Draft, place: Place): unknown {
  switch (draft.kind) {
    case "text":
      return readText(shape, draft.text, place);
    case "constant":
      return shape.kind === "constant" ? shape.value : undefined;
    case "list":
      if (shape.kind !== "list" || (draft.items.length === 0 && isLeftOut(shape, place))) {
        return undefined;
      }
      return draft.items.map((item, index) =>
        read(shape.item, item.draft, { ...below(place, String(index)), isRequired: true }),
      );
    case "record":
      if (shape.kind !== "record" || (draft.entries.length === 0 && isLeftOut(shape, place))) {
        return undefined;
      }
      return readRecord(shape.value, draft.entries, place);
    case "object":
      return shape.kind === "object" ? readObject(shape, draft.fields, place) : undefined;
    case "union": {
      const option = shape.kind === "union" ? shape.options[draft.chosen ?? -1] : undefined;
      if (option !== undefined)
        return read(option.shape, draft.draft, { ...place, isRequired: true });
      return missing(place);
    }
  }
}

/** What is empty was not given, unless it must be there, or would be something else without being said. */
function isLeftOut({ start }: Shape, { isRequired }: Place): boolean {
  return !isRequired && start === undefined;
}

function readText(shape: Shape, text: string, place: Place): unknown {
  if (text.trim() === "" && shape.kind !== "text") return missing(place);
  switch (shape.kind) {
    case "text":
      if (text !== "") return text;
      if (meansEmpty(shape, place.isRequired)) return text;
      return missing(place, mayBeEmpty(shape) ? neededOrJson : needed);
    case "number": {
      const value = Number(text);
      if (Number.isFinite(value) && (!shape.isInteger || Number.isInteger(value))) return value;
      return mistake(
        place,
        shape.isInteger ? "It must be a whole number." : "It must be a number.",
      );
    }
    case "boolean":
      return text === "true";
    case "choice":
      return shape.options[Number(text)];
    case "json":
      try {
        return JSON.parse(text) as unknown;
      } catch (error) {
        return mistake(place, `It is not valid JSON: ${(error as Error).message}`);
      }
    default:
      return undefined;
  }
}

function readObject(
  shape: Extract<Shape, { kind: "object" }>,
  drafts: ReadonlyMap<string, Draft> | undefined,
  place: Place,
): unknown {
  if (drafts === undefined) return missing(place);
  const entries = shape.fields.flatMap(({ name, shape, isRequired }) => {
    const draft = drafts.get(name);
    if (draft === undefined) return [];
    const value = read(shape, draft, { ...below(place, name), isRequired });
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

function readRecord(shape: Shape, entries: readonly RecordEntry[], place: Place): unknown {
  const names = new Set<string>();
  for (const { name } of entries) {
    if (name === "") mistake(place, "Every value needs a name.");
    else if (names.has(name)) mistake(place, `The name ${name} is there twice.`);
    names.add(name);
  }
  const values = entries.map(({ name, draft }) => {
    const value = read(shape, draft, { ...below(place, name), isRequired: true });
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

function below({ path, mistakes }: Place, name: string) {
  return { path: `${path}.${name}`, mistakes };
}

function missing(place: Place, message = needed): undefined {
  return place.isRequired ? mistake(place, message) : undefined;
}

function mistake({ path, mistakes }: Place, message: string): undefined {
  if (!mistakes.has(path)) mistakes.set(path, message);
  return undefined;
}

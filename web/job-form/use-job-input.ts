// The input of a job while it is being written: as fields or as JSON, with the way from one to the other.
import { useState } from "react";
import { type Draft, draftOf, freshDraft } from "./draft.ts";
import { type Mistakes, readDraft } from "./read-draft.ts";
import { readSchema } from "./read-schema.ts";
import type { ObjectShape, Shape, UnionShape } from "./shape.ts";

export type InputMode = "fields" | "json";

/** An input is an object always: of fields, or one of several such. */
export type InputShape = ObjectShape | UnionShape;

export interface ReadInput {
  readonly value: Record<string, unknown>;
  readonly mistakes: Mistakes;
}

export interface JobInput {
  /** Undefined where only JSON can say it. */
  readonly shape: InputShape | undefined;
  readonly draft: Draft;
  readonly text: string;
  readonly mode: InputMode;
  /** Why the fields cannot show what was written as JSON. */
  readonly refusal: string | undefined;
  setDraft(draft: Draft): void;
  setText(text: string): void;
  setMode(mode: InputMode): void;
  read(): ReadInput;
}

export function useJobInput(schema: unknown): JobInput {
  const [shape] = useState(() => inputShape(readSchema(schema)));
  const [draft, setDraft] = useState<Draft>(() =>
    shape === undefined ? nothing : freshDraft(shape, true),
  );
  const [text, setText] = useState("{}");
  const [mode, setModeState] = useState<InputMode>(shape === undefined ? "json" : "fields");
  const [refusal, setRefusal] = useState<string>();
  const read = (): ReadInput => {
    if (mode === "json" || shape === undefined) return readJson(text);
    const { value, mistakes } = readDraft(shape, draft);
    return { value: asObject(value) ?? {}, mistakes };
  };
  const setMode = (next: InputMode) => {
    setRefusal(undefined);
    if (next === mode || shape === undefined) return;
    const { value, mistakes } = read();
    if (next === "json") setText(JSON.stringify(value, undefined, 2));
    else {
      const shown = mistakes.size === 0 ? lenientDraft(shape, value) : undefined;
      const why =
        mistakes.get("input") ?? "Something in it has no field, or is missing inside of one.";
      if (shown === undefined) return setRefusal(why);
      setDraft(shown);
    }
    setModeState(next);
  };
  return { shape, draft, text, mode, refusal, setDraft, setText, setMode, read };
}

const nothing: Draft = { kind: "text", text: "" };

export function inputShape(shape: Shape): InputShape | undefined {
  if (shape.kind === "object") return shape;
  if (shape.kind !== "union") return undefined;
  return shape.options.every((option) => inputShape(option.shape) !== undefined)
    ? shape
    : undefined;
}

function lenientDraft(shape: InputShape, value: Record<string, unknown>): Draft | undefined {
  return draftOf(lenient(shape, value), value, true);
}

/** What is still missing is no reason to refuse: it is asked for by its field. */
function lenient(shape: Shape, value: Record<string, unknown>): Shape {
  if (shape.kind === "union") {
    const options = shape.options.map((one) => ({ ...one, shape: lenient(one.shape, value) }));
    return { ...shape, options };
  }
  if (shape.kind !== "object") return shape;
  const fields = shape.fields.map((field) => {
    const isMissing = !Object.hasOwn(value, field.name);
    return isMissing ? { ...field, isRequired: false } : field;
  });
  return { ...shape, fields };
}

function readJson(text: string): ReadInput {
  try {
    const value = asObject(JSON.parse(text));
    if (value !== undefined) return { value, mistakes: new Map() };
    return { value: {}, mistakes: new Map([["input", "It must be an object, such as {}."]]) };
  } catch (error) {
    const why = `It is not valid JSON: ${(error as Error).message}`;
    return { value: {}, mistakes: new Map([["input", why]]) };
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

// What somebody has put into a form so far: a tree along its shape, with texts that need not be valid yet.
import { randomKey } from "../random-key.ts";
import { mayBeEmpty, meansEmpty } from "./may-be-empty.ts";
import type { Shape } from "./shape.ts";

export type Draft =
  /** Of a text, a number, a choice (its place), yes or no, and JSON; empty: not given, unless that says something (`meansEmpty`). */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly ListItem[] }
  /** Undefined: left out as a whole. A map, because a field may be called `__proto__`. */
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Draft> | undefined }
  | { readonly kind: "record"; readonly entries: readonly RecordEntry[] }
  | { readonly kind: "union"; readonly chosen: number | undefined; readonly draft: Draft }
  | { readonly kind: "constant" };

export interface ListItem {
  /** Stays when others before it go. */
  readonly key: string;
  readonly draft: Draft;
}

export interface RecordEntry extends ListItem {
  readonly name: string;
}

export const empty: Draft = { kind: "text", text: "" };

/** With all that is there without being said. */
export function freshDraft(shape: Shape, isRequired: boolean): Draft {
  if (shape.start !== undefined) {
    const draft = draftOf(shape, shape.start, isRequired);
    if (draft !== undefined) return draft;
  }
  switch (shape.kind) {
    case "object":
      return { kind: "object", fields: isRequired ? freshFields(shape.fields) : undefined };
    case "list":
      return { kind: "list", items: [] };
    case "record":
      return { kind: "record", entries: [] };
    case "union": {
      const [first] = shape.options;
      if (!isRequired || first === undefined) return unchosen;
      return { kind: "union", chosen: 0, draft: freshDraft(first.shape, true) };
    }
    case "constant":
      return { kind: "constant" };
    case "boolean":
      return isRequired ? { kind: "text", text: "false" } : empty;
    default:
      return empty;
  }
}

const unchosen: Draft = { kind: "union", chosen: undefined, draft: empty };

export function freshFields(fields: Extract<Shape, { kind: "object" }>["fields"]) {
  return new Map(
    fields.map(({ name, shape, isRequired }) => [name, freshDraft(shape, isRequired)] as const),
  );
}

export function newItem(shape: Shape): ListItem {
  return { key: randomKey(), draft: freshDraft(shape, true) };
}

/** A value as it would have been put in; undefined where the form has no way to say it. */
export function draftOf(shape: Shape, value: unknown, isRequired: boolean): Draft | undefined {
  if (value === undefined) return absent(shape, isRequired);
  switch (shape.kind) {
    case "text":
      if (typeof value !== "string") return undefined;
      return value !== "" || meansEmpty(shape, isRequired)
        ? { kind: "text", text: value }
        : undefined;
    case "number":
    case "boolean":
      return typeof value === shape.kind ? { kind: "text", text: String(value) } : undefined;
    case "choice": {
      const index = (shape.options as readonly unknown[]).indexOf(value);
      return index < 0 ? undefined : { kind: "text", text: String(index) };
    }
    case "constant":
      return JSON.stringify(value) === JSON.stringify(shape.value)
        ? { kind: "constant" }
        : undefined;
    case "json":
      return { kind: "text", text: JSON.stringify(value, undefined, 2) };
    case "list":
      return Array.isArray(value) ? listDraft(shape.item, value) : undefined;
    case "record":
      return isObject(value) ? recordDraft(shape.value, value) : undefined;
    case "object":
      return isObject(value) ? objectDraft(shape, value) : undefined;
    case "union":
      return unionDraft(shape, value);
  }
}

/** Not given, although there may be something that it is without being said: shown where empty would be something else. */
function absent(shape: Shape, isRequired: boolean): Draft | undefined {
  if (isRequired && shape.kind !== "constant") return undefined;
  const isShown = shape.kind === "list" || shape.kind === "record" || mayBeEmpty(shape);
  return freshDraft(isShown ? shape : { ...shape, start: undefined }, false);
}

function listDraft(item: Shape, values: readonly unknown[]): Draft | undefined {
  const drafts = values.map((value) => draftOf(item, value, true));
  if (!drafts.every((draft) => draft !== undefined)) return undefined;
  return { kind: "list", items: drafts.map((draft) => ({ key: randomKey(), draft })) };
}

function recordDraft(shape: Shape, values: Record<string, unknown>): Draft | undefined {
  const entries: RecordEntry[] = [];
  for (const [name, value] of Object.entries(values)) {
    const draft = draftOf(shape, value, true);
    if (draft === undefined || name === "") return undefined;
    entries.push({ key: randomKey(), name, draft });
  }
  return { kind: "record", entries };
}

function objectDraft(
  { fields }: Extract<Shape, { kind: "object" }>,
  values: Record<string, unknown>,
): Draft | undefined {
  const drafts = new Map<string, Draft>();
  for (const { name, shape, isRequired } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const draft = draftOf(shape, value, isRequired);
    if (draft === undefined) return undefined;
    drafts.set(name, draft);
  }
  const isWhole = Object.keys(values).every((name) => drafts.has(name));
  return isWhole ? { kind: "object", fields: drafts } : undefined;
}

function unionDraft(
  { options }: Extract<Shape, { kind: "union" }>,
  value: unknown,
): Draft | undefined {
  for (const [chosen, { shape }] of options.entries()) {
    const draft = draftOf(shape, value, true);
    if (draft !== undefined) return { kind: "union", chosen, draft };
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// What is known about a value before anything runs: enough to find misspelt names.
import type { JsonValue } from "../yaml/yaml-node.ts";

export type ValueShape =
  | { readonly kind: "any" }
  /** A text, number or boolean: it has no members. */
  | { readonly kind: "scalar" }
  | { readonly kind: "list"; readonly of: ValueShape }
  | MemberShape;

export interface MemberShape {
  readonly kind: "members";
  /** As in "unknown …": `input`, `artifact of step 'plan'`. */
  readonly what: string;
  readonly members: ReadonlyMap<string, ValueShape>;
  /** Why a name that may be meant cannot be used here. */
  readonly refusal?: (name: string) => string | undefined;
  /** Members must be named in the text itself, not computed. */
  readonly isLiteral?: boolean;
}

export const ANY: ValueShape = { kind: "any" };
export const SCALAR: ValueShape = { kind: "scalar" };

export function members(
  what: string,
  entries: Iterable<readonly [string, ValueShape]>,
  refusal?: MemberShape["refusal"],
): MemberShape {
  const shape = { kind: "members", what, members: new Map(entries) } as const;
  return refusal === undefined ? shape : { ...shape, refusal };
}

export function scalars(what: string, names: Iterable<string>): MemberShape {
  return members(
    what,
    [...names].map((name) => [name, SCALAR]),
  );
}

/** Exactly, else without case: as the evaluator finds it. */
export function memberOf({ members: known }: MemberShape, name: string): ValueShape | undefined {
  const exact = known.get(name);
  if (exact !== undefined) return exact;
  const folded = name.toLowerCase();
  for (const [key, shape] of known) if (key.toLowerCase() === folded) return shape;
  return undefined;
}

/** What all these values have in common: members that one of them has may be asked for. */
export function shapeOfValues(values: readonly JsonValue[], what: string): ValueShape {
  if (values.length === 0) return ANY;
  if (values.every((value) => typeof value !== "object" || value === null)) return SCALAR;
  if (!values.every(isObject)) return ANY;
  const names = new Set(values.flatMap((value) => Object.keys(value)));
  return members(
    what,
    [...names].map((name) => {
      const inner = values.flatMap((value) =>
        Object.hasOwn(value, name) ? [value[name] ?? null] : [],
      );
      return [name, shapeOfValues(inner, `member of '${name}'`)];
    }),
  );
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

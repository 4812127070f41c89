// The id of a matrix item: unique in its step, and safe as part of a path and of a ref name.
import type { JsonValue } from "../yaml/yaml-node.ts";

const LENGTH_MAX = 64;

/** Empty when nothing usable is left. */
export function slugOf(text: string): string {
  return text
    .slice(0, LENGTH_MAX * 8)
    .normalize("NFKC")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[-.]+/, "")
    .slice(0, LENGTH_MAX)
    .replace(/[-.]+$/, "")
    .replace(/(\.lock)+$/i, "");
}

/**
 * Without an `id`: the values of the lists (what `include` only adds to an item does not change its id), an object by its
 * own `id` or `name`; what has neither is counted.
 */
export function defaultId(
  values: Readonly<Record<string, JsonValue>>,
  lists: readonly string[],
  index: number,
): string {
  const isOfLists = lists.length > 0 && lists.every((name) => Object.hasOwn(values, name));
  const own = isOfLists ? lists : Object.keys(values);
  const words = own.map((name) => wordOf(values[name] ?? null));
  const isNamed = words.length > 0 && words.every((word) => word !== undefined && word !== "");
  return isNamed ? words.join("-") : `item-${index + 1}`;
}

function wordOf(value: JsonValue): string | undefined {
  if (value === null || Array.isArray(value)) return undefined;
  if (typeof value !== "object") return slugOf(String(value));
  const { id, name } = value as Readonly<Record<string, JsonValue>>;
  const own = id ?? name;
  return typeof own === "string" || typeof own === "number" ? slugOf(String(own)) : undefined;
}

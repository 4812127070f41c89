// A YAML text as values that know where they stand.
import type { Path } from "../problem.ts";

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** Where it begins in the text; of a block scalar, its `|` or `>`. */
  readonly start: number;
  readonly end: number;
  readonly style: "plain" | "single-quoted" | "double-quoted" | "block";
}

export interface YamlList {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
  readonly start: number;
}

export interface YamlMap {
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
  readonly start: number;
}

export interface YamlEntry {
  readonly key: string;
  readonly keyStart: number;
  readonly value: YamlNode;
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Keys were checked when the text was read: none of them has a meaning of its own in an object. */
export function jsonOf(node: YamlNode): JsonValue {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(jsonOf);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, jsonOf(value)]));
  }
}

export function entryOf(node: YamlNode | undefined, key: string | number): YamlEntry | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((entry) => entry.key === key);
}

/** Where the path leads, as far as it does. */
export function nodeAt(root: YamlNode, path: Path): YamlNode | undefined {
  let node: YamlNode | undefined = root;
  for (const part of path) {
    node = node?.kind === "list" ? node.items[Number(part)] : entryOf(node, part)?.value;
  }
  return node;
}

/** The place of a key, or of an item of a list; of the last one that exists on the way. */
export function keyOffset(root: YamlNode, path: Path): number {
  let node: YamlNode | undefined = root;
  let offset = root.start;
  for (const part of path) {
    if (node?.kind === "list") {
      node = node.items[Number(part)];
      offset = node?.start ?? offset;
    } else {
      const entry = entryOf(node, part);
      node = entry?.value;
      offset = entry?.keyStart ?? offset;
    }
    if (node === undefined) break;
  }
  return offset;
}

/** The place of a value; of the last thing that exists on the way, if there is none. */
export function valueOffset(root: YamlNode, path: Path): number {
  return nodeAt(root, path)?.start ?? keyOffset(root, path);
}

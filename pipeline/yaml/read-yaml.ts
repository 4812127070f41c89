// Reads one YAML document into nodes; what a pipeline has no use for is refused, with its place.
import { Composer, type Document, isAlias, isMap, isScalar, isSeq, type ParsedNode } from "yaml";
import { ALIASES_MAX, KEY_LENGTH_MAX, NODES_MAX } from "../pipeline-limits.ts";
import { lexYaml } from "./lex-yaml.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "./yaml-node.ts";

export type Report = (offset: number, message: string, suggestion?: string) => void;

/** Undefined when the text is no YAML at all; problems that leave the rest readable are reported beside. */
export function readYaml(text: string, report: Report): YamlNode | undefined {
  const { tokens, refusal } = lexYaml(text);
  if (refusal !== undefined) {
    report(refusal.offset, refusal.message);
    return undefined;
  }
  // Keys are compared by the walk below: the library compares each with each.
  const options = {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
  } as const;
  const documents = [...new Composer(options).compose(tokens, true, text.length)];
  const [document, second] = documents;
  if (document === undefined || !hasContents(document)) {
    reportEach(document?.errors ?? [], report);
    report(0, "the file is empty: a pipeline has at least 'steps'");
    return undefined;
  }
  if (second !== undefined) {
    report(second.range[0], "a file holds one pipeline: a second document starts here");
  }
  reportEach(document.errors, report);
  if (document.errors.length > 0) return undefined;
  return new YamlWalk(report).read(document.contents);
}

/** The library says some things twice of one place. */
function reportEach(errors: Document.Parsed["errors"], report: Report): void {
  const told = new Set<string>();
  for (const { pos, message } of errors) {
    const key = `${pos[0]} ${message}`;
    if (!told.has(key)) report(pos[0], plainMessage(message));
    told.add(key);
  }
}

function hasContents(document: Document.Parsed): boolean {
  const { contents } = document;
  return contents !== null && !(isScalar(contents) && contents.value === null && !contents.source);
}

/** The library's own words, as the beginning of a sentence of ours. */
function plainMessage(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return `not valid YAML: ${line.charAt(0).toLowerCase()}${line.slice(1, 200)}`;
}

class YamlWalk {
  readonly #report: Report;
  readonly #anchors = new Map<string, ParsedNode>();
  /** Anchors whose contents are being read: an alias to one of them would never end. */
  readonly #open = new Set<ParsedNode>();
  #nodes = 0;
  #aliases = 0;
  #isFull = false;

  constructor(report: Report) {
    this.#report = report;
  }

  read(node: ParsedNode | null, fallback = 0, isRepeated = false): YamlNode {
    if (node === null) return nullAt(fallback);
    if (++this.#nodes > NODES_MAX) return this.#refuseMore(node);
    if (isAlias(node)) return this.#readAlias(node as ParsedNode & { source: string });
    if (!isRepeated) this.#look(node);
    this.#open.add(node);
    const read = this.#readContents(node, isRepeated);
    this.#open.delete(node);
    return read;
  }

  #readContents(node: ParsedNode, isRepeated: boolean): YamlNode {
    const [start] = node.range;
    if (isMap(node)) return { kind: "map", entries: this.#readEntries(node, isRepeated), start };
    if (isSeq(node)) {
      const items: YamlNode[] = [];
      for (const item of node.items as (ParsedNode | null)[]) {
        if (this.#isFull) break;
        items.push(this.read(item, start, isRepeated));
      }
      return { kind: "list", items, start };
    }
    return this.#readScalar(node);
  }

  #readScalar(node: ParsedNode): YamlScalar {
    const [start, end] = node.range;
    if (!isScalar(node)) return nullAt(start);
    const { value } = node;
    const style = STYLES[node.type ?? "PLAIN"] ?? "plain";
    if (typeof value === "number" && !Number.isFinite(value)) {
      this.#report(start, "not a number that JSON can hold: write it in quotes if it is a text");
    }
    if (typeof value === "string" && value.includes("\0")) {
      this.#report(start, "must not contain a NUL character");
    }
    const isPlain =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return { kind: "scalar", value: isPlain ? value : null, start, end, style };
  }

  #readEntries(node: ParsedNode, isRepeated: boolean): YamlEntry[] {
    const entries: YamlEntry[] = [];
    const seen = new Set<string>();
    if (!isMap(node)) return entries;
    for (const pair of node.items) {
      if (this.#isFull) break;
      const keyNode = pair.key as ParsedNode | null;
      const keyStart = keyNode?.range[0] ?? node.range[0];
      const key = this.#readKey(keyNode, keyStart);
      const value = this.read(pair.value as ParsedNode | null, keyStart, isRepeated);
      if (key === undefined) continue;
      if (seen.has(key)) this.#report(keyStart, `'${shorten(key)}' is given twice`);
      else entries.push({ key, keyStart, value });
      seen.add(key);
    }
    return entries;
  }

  #readKey(node: ParsedNode | null, start: number): string | undefined {
    if (node === null || !isScalar(node) || node.value === null) {
      this.#report(start, "a key must be a plain name");
      return undefined;
    }
    this.#look(node);
    const key = String(node.value);
    if (key.length > KEY_LENGTH_MAX) {
      this.#report(start, `the key is too long: at most ${KEY_LENGTH_MAX} characters`);
    } else if (key === "<<") {
      this.#report(
        start,
        "merge keys ('<<') are not part of YAML 1.2",
        "repeat the values, or use 'defaults'",
      );
    } else if (key in Object.prototype || key === "prototype") {
      this.#report(start, `'${key}' cannot be used as a name`);
    } else if (key.includes("\0")) {
      this.#report(start, "a key must not contain a NUL character");
    } else {
      return key;
    }
    return undefined;
  }

  #readAlias(node: ParsedNode & { source: string }): YamlNode {
    const [start] = node.range;
    const target = this.#anchors.get(node.source);
    if (++this.#aliases > ALIASES_MAX) {
      if (this.#aliases === ALIASES_MAX + 1)
        this.#report(start, `too many aliases: at most ${ALIASES_MAX}`);
    } else if (target === undefined) {
      const known = [...this.#anchors.keys()].slice(0, 5).map((name) => `&${name}`);
      const hint = known.length === 0 ? undefined : `there is ${known.join(", ")}`;
      this.#report(start, `the alias '*${shorten(node.source)}' has no anchor before it`, hint);
    } else if (this.#open.has(target)) {
      this.#report(start, `the alias '*${shorten(node.source)}' stands inside its own anchor`);
    } else {
      return this.read(target, start, true);
    }
    return nullAt(start);
  }

  /** What may stand before a value: an anchor, once; no tag. */
  #look(node: ParsedNode): void {
    const [start] = node.range;
    if (node.tag !== undefined)
      this.#report(start, `tags ('${shorten(node.tag)}') are not allowed`);
    if (isAlias(node) || node.anchor === undefined) return;
    if (this.#anchors.has(node.anchor)) {
      this.#report(start, `the anchor '&${shorten(node.anchor)}' is given twice`);
    }
    this.#anchors.set(node.anchor, node);
  }

  #refuseMore(node: ParsedNode): YamlNode {
    const [start] = node.range;
    if (!this.#isFull) {
      this.#report(start, `too many values (at most ${NODES_MAX}, what aliases repeat included)`);
    }
    this.#isFull = true;
    return nullAt(start);
  }
}

const STYLES: Readonly<Record<string, YamlScalar["style"]>> = {
  QUOTE_SINGLE: "single-quoted",
  QUOTE_DOUBLE: "double-quoted",
  BLOCK_LITERAL: "block",
  BLOCK_FOLDED: "block",
};

function nullAt(start: number): YamlScalar {
  return { kind: "scalar", value: null, start, end: start, style: "plain" };
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

// Packs made by hand, also such as no git would make.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

export interface PackObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** A difference to an object that is only named. */
export interface PackDelta {
  readonly base: string;
  readonly delta: Buffer;
}

const NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const REF_DELTA = 7;

export function object(type: ObjectType, content: string | Buffer): PackObject {
  return { type, content: Buffer.from(content) };
}

export function idOf({ type, content }: PackObject): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

export function treeObject(
  entries: readonly (readonly [mode: string, name: string, id: string])[],
) {
  const parts = entries.flatMap(([mode, name, id]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(id, "hex"),
  ]);
  return object("tree", Buffer.concat(parts));
}

export function commitObject(tree: string, parents: readonly string[], message = "made by hand") {
  const person = "Job <job@example.org> 1700000000 +0000";
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
  return object(
    "commit",
    `${[...lines, `author ${person}`, `committer ${person}`].join("\n")}\n\n${message}\n`,
  );
}

/** Copies nothing of its base: only says how long base and result are, and what the result is. */
export function delta(baseBytes: number, resultBytes: number, instructions: Buffer): Buffer {
  return Buffer.concat([varint(baseBytes), varint(resultBytes), instructions]);
}

export function makePack(entries: readonly (PackObject | PackDelta)[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries.map(entryOf)]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

function entryOf(entry: PackObject | PackDelta): Buffer {
  return "delta" in entry
    ? Buffer.concat([
        entryHead(REF_DELTA, entry.delta.length),
        Buffer.from(entry.base, "hex"),
        deflateSync(entry.delta),
      ])
    : Buffer.concat([
        entryHead(NUMBERS[entry.type], entry.content.length),
        deflateSync(entry.content),
      ]);
}

/** Three bits of type and four of the size, then seven of the size a byte. */
function entryHead(type: number, sizeBytes: number): Buffer {
  const low = (type << 4) | (sizeBytes & 15);
  const rest = Math.floor(sizeBytes / 16);
  return rest === 0 ? Buffer.from([low]) : Buffer.concat([Buffer.from([low | 128]), varint(rest)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}

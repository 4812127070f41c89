// Writes a tar archive that every tar reads, always the same bytes for the same entries: no owners, no times of its own.

/** Names are bytes where they may not be UTF-8. */
export type TarEntry<Name = string> = {
  /** Parts divided by `/`, from the top of the archive. */
  readonly path: Name;
  /** In seconds since 1970; what does not fit into the field is brought near. */
  readonly modifiedAt?: number | undefined;
} & (
  | { readonly kind: "directory" }
  | { readonly kind: "link"; readonly target: Name }
  | { readonly kind: "file"; readonly isExecutable: boolean; readonly sizeBytes: number }
);

export const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const OCTAL_SIZE_MAX = 8 ** 11 - 1;
const SLASH = Buffer.from("/");
const TYPES = { file: "0", link: "2", directory: "5" } as const;

/** What comes before the contents of an entry. What does not fit into the old fields is told in the way of POSIX.1-2001. */
export function tarHead(entry: TarEntry<string | Buffer>): Buffer {
  const path = Buffer.from(entry.path);
  const name = entry.kind === "directory" ? Buffer.concat([path, SLASH]) : path;
  const target = Buffer.from(entry.kind === "link" ? entry.target : "");
  const sizeBytes = entry.kind === "file" ? entry.sizeBytes : 0;
  const long = [
    ...(name.length > NAME_BYTES_MAX ? [paxRecord("path", name)] : []),
    ...(target.length > NAME_BYTES_MAX ? [paxRecord("linkpath", target)] : []),
    ...(sizeBytes > OCTAL_SIZE_MAX ? [paxRecord("size", Buffer.from(String(sizeBytes)))] : []),
  ];
  const mode = entry.kind === "file" && !entry.isExecutable ? 0o644 : 0o755;
  const modifiedAt = Math.min(Math.max(0, entry.modifiedAt ?? 0), OCTAL_SIZE_MAX);
  const own = block({ name, target, sizeBytes, mode, modifiedAt, type: TYPES[entry.kind] });
  if (long.length === 0) return own;
  const told = Buffer.concat(long);
  const head = block({
    ...{ name: Buffer.from("PaxHeader"), target: Buffer.alloc(0), sizeBytes: told.length },
    ...{ mode: 0o644, modifiedAt, type: "x" },
  });
  return Buffer.concat([head, told, padding(told.length), own]);
}

/** Up to the next block. */
export function padding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** Of an archive with nothing in it. */
export const EMPTY_TAR_BYTES = 2 * BLOCK_BYTES;

/** Says that it is complete. */
export function tarEnd(): Buffer {
  return Buffer.alloc(EMPTY_TAR_BYTES);
}

interface Block {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly sizeBytes: number;
  readonly mode: number;
  readonly modifiedAt: number;
  readonly type: string;
}

function block({ name, target, sizeBytes, mode, modifiedAt, type }: Block): Buffer {
  const head = Buffer.alloc(BLOCK_BYTES);
  name.copy(head, 0, 0, NAME_BYTES_MAX);
  octal(head, 100, 8, mode);
  octal(head, 108, 8, 0);
  octal(head, 116, 8, 0);
  octal(head, 124, 12, Math.min(sizeBytes, OCTAL_SIZE_MAX));
  octal(head, 136, 12, modifiedAt);
  head.write("        ", 148, "latin1"); // while it is summed up
  head.write(type, 156, "latin1");
  target.copy(head, 157, 0, NAME_BYTES_MAX);
  head.write("ustar\0" + "00", 257, "latin1");
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return head;
}

function octal(head: Buffer, at: number, length: number, value: number): void {
  head.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}

/** Begins with its own length, in which that number counts too. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length)
    length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

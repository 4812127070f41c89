// Which file of a store is meant: its contents, and which of those that had them.

export interface FileKey {
  readonly sha256: string;
  /** A removal may come late, when the same contents are wanted again: those have another generation, and another name. */
  readonly generation: string;
}

const SHA256 = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Beginning with two digits of the hash, by which they lie together. */
export function fileName({ sha256, generation }: FileKey): string {
  if (!SHA256.test(sha256)) throw new Error("that is no SHA-256");
  if (!UUID.test(generation)) throw new Error("that is no generation");
  return `${sha256}.${generation}`;
}

/** Undefined for the name of something else. */
export function readFileName(name: string): FileKey | undefined {
  const [sha256 = "", generation = "", ...rest] = name.split(".");
  if (!SHA256.test(sha256) || !UUID.test(generation) || rest.length > 0) return undefined;
  return { sha256, generation };
}

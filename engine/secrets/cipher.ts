// Encrypts one value so that it can be read again only with the same key, and only in the place it was made for.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

export interface EncryptionKey {
  /** Follows from the key and tells nothing of it: a copy of the file has the same. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Where a value lies and what it is for: a ciphertext that is moved to another row, or whose row is changed, is refused. */
export type SealedPlace = readonly [table: string, id: string, owner: string, ...rest: string[]];

/** Neither the key nor what it was to open is told. */
export class CipherError extends Error {
  override readonly name = "CipherError";
  readonly code = "damaged";
}

export const KEY_BYTES = 32;
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const ALGORITHM = "aes-256-gcm";

export function newKey(): EncryptionKey {
  return keyOf(randomBytes(KEY_BYTES));
}

export function keyOf(bytes: Buffer): EncryptionKey {
  const digest = createHash("sha256").update("croft encryption key\n").update(bytes);
  return { id: digest.digest("hex").slice(0, 16), bytes };
}

/** Format, nonce, tag, then the text; 2^32 values may be sealed with one key. */
export function seal(key: EncryptionKey, place: SealedPlace, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(placeBytes(key, place));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
}

export function unseal(key: EncryptionKey, place: SealedPlace, sealed: Buffer): string {
  const [table, id] = place;
  if (sealed.length < HEAD_BYTES || sealed[0] !== FORMAT) throw damaged(table, id);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(placeBytes(key, place));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]).toString(
      "utf8",
    );
  } catch {
    throw damaged(table, id);
  }
}

/** JSON, because no two places are written the same way. */
function placeBytes({ id }: EncryptionKey, place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify(["croft", FORMAT, id, ...place]), "utf8");
}

function damaged(table: string, id: string): CipherError {
  return new CipherError(
    `the value of ${table} '${id}' cannot be decrypted: it, or the row it stands in, was changed by somebody else; set it again`,
  );
}

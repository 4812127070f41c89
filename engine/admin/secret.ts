// Random secrets that people and browsers hold, and the digests that the database keeps of them.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Plain SHA-256 is enough for 256 random bits; only passwords need a slow hash. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** In constant time, also when the lengths differ. */
export function secretsEqual(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right));
}

/** A second secret that only the holder of the first can know. */
export function derivedSecret(secret: string, purpose: string): string {
  return createHmac("sha256", secret).update(purpose).digest("base64url");
}

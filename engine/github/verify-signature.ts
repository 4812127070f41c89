// Whether GitHub signed a body: HMAC-SHA-256 over the bytes as they came, compared in constant time.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.ts";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** The digest of an `X-Hub-Signature-256`, if it is one. */
export function signatureOf(header: unknown): Buffer | undefined {
  const hex = typeof header === "string" ? SIGNATURE.exec(header)?.[1] : undefined;
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}

/** By any of the secrets; all of them are tried, so that time does not tell which one it was. */
export function isSigned(body: Buffer, signature: Buffer, secrets: readonly string[]): boolean {
  let isOne = false;
  for (const secret of secrets) {
    const expected = createHmac("sha256", secret).update(body).digest();
    const isThis = expected.length === signature.length && timingSafeEqual(expected, signature);
    isOne = isThis || isOne;
  }
  return isOne;
}

/** Two while one takes the other's place; none: events are not taken. */
export function webhookSecrets({ github }: Pick<Config, "github">): readonly string[] {
  const { webhookSecret, webhookSecretPrevious } = github;
  return [webhookSecret, webhookSecretPrevious].filter((secret) => secret !== undefined);
}

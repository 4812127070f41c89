// Was this request signed by somebody who knows the secret, and just now? Standard Webhooks, from the bytes as they came.
import { createHmac, timingSafeEqual } from "node:crypto";
import { headerOf, type RequestHeaders } from "./request-headers.ts";

export interface VerifyOptions {
  /** `whsec_…`; two while one takes the other's place. */
  readonly secrets: readonly string[];
  readonly headers: RequestHeaders;
  /** The bytes of the body: text that was parsed and written again has another signature. */
  readonly body: Uint8Array;
  /** How far the time of the signature may lie from now, on either side. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

export type Verification =
  | { readonly isValid: true; readonly id: string; readonly signedAt: Date }
  | { readonly isValid: false; readonly reason: string };

const TOLERANCE_SECONDS = 300;
const SIGNATURES_MAX = 16;
const KEY_BYTES_MIN = 16;

export function verifyRequest(options: VerifyOptions): Verification {
  const { secrets, headers, body, now = new Date() } = options;
  const { toleranceSeconds = TOLERANCE_SECONDS } = options;
  const id = headerOf(headers, "webhook-id") ?? "";
  const timestamp = headerOf(headers, "webhook-timestamp") ?? "";
  if (!/^[\x21-\x7e]{1,200}$/.test(id)) return invalid("webhook-id is missing or no id");
  if (!/^[0-9]{1,11}$/.test(timestamp)) return invalid("webhook-timestamp is missing or no time");
  const signedAt = new Date(Number(timestamp) * 1000);
  const signatures = signaturesIn(headerOf(headers, "webhook-signature") ?? "");
  if (signatures.length === 0) return invalid("webhook-signature is missing or has none of v1");
  // Every secret with every signature, found or not: how long it takes says nothing about them.
  let matches = 0;
  for (const secret of secrets) {
    const mac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body);
    const expected = mac.digest();
    for (const signature of signatures) matches += Number(timingSafeEqual(signature, expected));
  }
  if (matches === 0) return invalid("no signature is right");
  // Afterwards: only who knows the secret is told that the clocks differ.
  const offSeconds = Math.abs(now.getTime() - signedAt.getTime()) / 1000;
  if (offSeconds > toleranceSeconds) return invalid("webhook-timestamp is too far from now");
  return { isValid: true, id, signedAt };
}

/** Throws at what cannot be a secret: with an empty key anybody could sign. */
export function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, "");
  const key = Buffer.from(text, "base64");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || key.length < KEY_BYTES_MIN) {
    throw new TypeError("a signing secret is whsec_ and at least 16 bytes in base64");
  }
  return key;
}

function signaturesIn(header: string): Buffer[] {
  return header
    .split(" ", SIGNATURES_MAX)
    .filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
    .map((part) => Buffer.from(part.slice(3), "base64"));
}

function invalid(reason: string): Verification {
  return { isValid: false, reason };
}

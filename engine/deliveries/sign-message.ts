// Signatures of Standard Webhooks: one for each secret that is valid, so that none fails while one takes another's place.
import { createHmac } from "node:crypto";

export interface SignedMessage {
  readonly id: string;
  readonly body: Buffer;
  readonly secrets: readonly string[];
  readonly at: Date;
}

export function signMessage({ id, body, secrets, at }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

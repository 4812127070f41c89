// Requests as GitHub makes them when something happened: a body, its signature, and what the headers say.
import { createHmac } from "node:crypto";

export const WEBHOOK_SECRET = "a webhook secret of the tests";

export interface EventWish {
  readonly event: string;
  readonly payload: object;
  readonly deliveryId: string;
  readonly secret?: string;
  readonly isForm?: boolean;
}

export interface SignedEvent {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export function signedEvent({
  event,
  payload,
  deliveryId,
  secret = WEBHOOK_SECRET,
  isForm = false,
}: EventWish): SignedEvent {
  const json = JSON.stringify(payload);
  const body = Buffer.from(isForm ? new URLSearchParams({ payload: json }).toString() : json);
  return {
    body,
    headers: {
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      "user-agent": "GitHub-Hookshot/0000000",
      "x-github-event": event,
      "x-github-delivery": deliveryId,
      "x-hub-signature-256": signatureOf(body, secret),
    },
  };
}

export function signatureOf(body: Buffer, secret = WEBHOOK_SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

export async function sendEvent(
  url: string,
  { headers, body }: SignedEvent,
): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }> {
  const response = await fetch(`${url}/webhooks/github`, {
    method: "POST",
    headers,
    body: new Uint8Array(body),
  });
  return {
    status: response.status,
    answer: (await response.json()) as Record<string, unknown>,
  };
}

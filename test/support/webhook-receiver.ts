// An app that deliveries are sent to, and that ends with the test.
import { onTestFinished } from "vitest";
import { serveWebhooks, type WebhookReceiver } from "./serve-webhooks.ts";

export type { ReceivedMessage, Reply, WebhookReceiver } from "./serve-webhooks.ts";

export async function webhookReceiver(): Promise<WebhookReceiver> {
  const receiver = await serveWebhooks();
  onTestFinished(() => receiver.close());
  return receiver;
}

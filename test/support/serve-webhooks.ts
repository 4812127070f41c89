// An app that deliveries are sent to: a real server on loopback that answers as the test says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedMessage {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: Buffer;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>> & {
      readonly files?: readonly { readonly path: string; readonly content?: string }[];
    };
  };
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** `127.0.0.1:port`, to be allowed. */
  readonly host: string;
  readonly received: ReceivedMessage[];
  /** For every message; 204 at first. May take the response in its own hands, and return nothing. */
  answer: (
    message: ReceivedMessage,
    response: ServerResponse,
  ) => Reply | undefined | Promise<Reply | undefined>;
}

export interface ServedWebhooks extends WebhookReceiver {
  close(): void;
}

/** Whoever starts it must close it. */
export async function serveWebhooks(): Promise<ServedWebhooks> {
  const received: ReceivedMessage[] = [];
  const receiver: { answer: WebhookReceiver["answer"] } = { answer: () => ({ status: 204 }) };
  const server = createServer((request, response) => {
    void readMessage(request).then(async (message) => {
      received.push(message);
      const reply = await receiver.answer(message, response);
      if (reply === undefined) return;
      response.writeHead(reply.status, reply.headers ?? {}).end(reply.body ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(receiver, { url: `http://${host}/hook`, host, received, close });
}

async function readMessage(request: IncomingMessage): Promise<ReceivedMessage> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const headers = request.headers as Record<string, string>;
  return { id: headers["webhook-id"] ?? "", headers, raw, body: JSON.parse(raw.toString("utf8")) };
}

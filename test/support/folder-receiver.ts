// An app that keeps folders equal to what it is told, by the receiver kit; it notes every request, and fails as it is told to.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createReceiver, openStore, type Receive } from "@croft/receiver";
import { Webhook } from "standardwebhooks";
import { Mirror } from "../../examples/mirror-app/mirror.ts";

export interface NotedRequest {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  /** Of its body. */
  readonly sha256: string;
  readonly at: number;
  /** Undefined until it was answered, and for ever when its answer was not sent. */
  status: number | undefined;
}

/** `refuse`: 500 before anything is done; `lose`: done, and the connection cut instead of an answer. */
export type Mood = "well" | "refuse" | "lose";

export interface FolderReceiver {
  readonly host: string;
  readonly url: string;
  readonly requests: readonly NotedRequest[];
  /** What is wrong with what came: signatures that an independent library refuses, errors of the kit. */
  readonly faults: readonly string[];
  mood: (type: string) => Mood;
  /** From now on: by this secret. */
  open(secret: string): void;
  folderOf(watchId: string): string;
  close(): Promise<void>;
}

export async function serveFolder(directory: string): Promise<FolderReceiver> {
  const requests: NotedRequest[] = [];
  const faults: string[] = [];
  let receive: Receive | undefined;
  let webhook: Webhook | undefined;
  const state: Pick<FolderReceiver, "mood"> = { mood: () => "well" };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const raw = Buffer.concat(parts);
    const { headers } = request;
    const type = /"type":"([a-z.]+)"/.exec(raw.toString("latin1", 0, 200))?.[1] ?? "";
    const sha256 = createHash("sha256").update(raw).digest("hex");
    const noted: NotedRequest = {
      ...{ id: String(headers["webhook-id"]), type, bytes: raw.length, sha256 },
      ...{ at: Date.now(), status: undefined },
    };
    requests.push(noted);
    try {
      webhook?.verify(raw.toString("utf8"), headers as Record<string, string>);
    } catch (error) {
      faults.push(`${noted.id}: ${error}`);
    }
    const mood = state.mood(type);
    const answer =
      mood === "refuse" || receive === undefined
        ? { status: 500, headers: {}, body: "" }
        : await receive(headers, raw);
    if (mood === "lose") return void response.socket?.destroy();
    if (response.socket?.destroyed !== false) return; // nobody waits for it any more: it is lost as well
    noted.status = answer.status;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((request, response) => {
    response.on("error", () => {}); // whoever was killed needs no answer
    take(request, response).catch(() => response.destroy()); // it was killed while it asked
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    ...{ host, url: `http://${host}/`, requests, faults },
    open: (secret: string) => {
      const mirror = new Mirror(directory);
      webhook = new Webhook(secret);
      receive = createReceiver({
        ...{ secrets: [secret], store: openStore(join(directory, ".croft")) },
        onFiles: (files) => mirror.apply(files),
        onError: (error) => void faults.push(String(error)),
      });
    },
    folderOf: (watchId: string) => join(directory, watchId),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

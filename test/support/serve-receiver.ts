// A receiver behind real HTTP, for one test.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createReceiver,
  type ListenerOptions,
  nodeListener,
  openStore,
  type ReceivedFiles,
  type ReceiverOptions,
} from "@croft/receiver";
import { onTestFinished } from "vitest";
import { scratchDirectory } from "./scratch-directory.ts";
import { SECRET } from "./signed-messages.ts";

export interface ServedReceiver {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  /** What came to the handler of files. */
  readonly received: readonly ReceivedFiles[];
  readonly errors: readonly unknown[];
}

export async function serveReceiver(
  options: Partial<ReceiverOptions> & { readonly listener?: ListenerOptions } = {},
): Promise<ServedReceiver> {
  const directory = await scratchDirectory();
  const received: ReceivedFiles[] = [];
  const errors: unknown[] = [];
  const receive = createReceiver({
    secrets: [SECRET],
    store: openStore(directory),
    onFiles: (files) => void received.push(files),
    onError: (error) => void errors.push(error),
    ...options,
  });
  const server = createServer(nodeListener(receive, options.listener));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, directory, received, errors };
}

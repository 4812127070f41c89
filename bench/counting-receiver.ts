// An app that reads what it is told, counts it, and accepts it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Scratch } from "./scratch.ts";

export interface CountingReceiver {
  readonly host: string;
  readonly url: string;
  files(): number;
  messages(): number;
  times(): { readonly firstAt: number; readonly lastAt: number };
}

export async function countingReceiver(scratch: Scratch): Promise<CountingReceiver> {
  let [files, messages, firstAt, lastAt] = [0, 0, 0, 0];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { data } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        data: { files?: readonly object[] };
      };
      firstAt ||= performance.now();
      lastAt = performance.now();
      files += data.files?.length ?? 0;
      messages++;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scratch.atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ host, url: `http://${host}/`, files: () => files, messages: () => messages },
    times: () => ({ firstAt, lastAt }),
  };
}

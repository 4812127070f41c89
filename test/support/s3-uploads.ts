// What the S3 service of the tests cannot do: it lists uploads that are not complete, gives them up, and fails on request.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { startS3 } from "./s3-server.ts";

export interface UploadFaults {
  /** Of each file, parts from the second on. */
  parts?: "refused" | Promise<void>;
  giveUps?: "refused";
}

export async function startS3WithUploads(faults: UploadFaults) {
  const s3 = await startS3();
  const { port } = new URL(s3.endpoint);
  /** Ids, and the keys that they are for. */
  const open = new Map<string, string>();
  let waiting = 0;

  const pass = (incoming: IncomingMessage, answer: ServerResponse) => {
    const { method, url = "", headers } = incoming;
    const isCreation = method === "POST" && /[?&]uploads/.test(url);
    const to = { host: "127.0.0.1", port, method, path: url, headers, agent: false as const };
    const onward = request(to, async (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (!isCreation) return void response.pipe(answer);
      const body = await text(response);
      const key = /<Key>(.*?)<\/Key>/.exec(body)?.[1] ?? "";
      open.set(/<UploadId>(.*?)<\/UploadId>/.exec(body)?.[1] ?? "", key);
      answer.end(body);
    });
    onward.on("error", () => answer.destroy());
    answer.once("close", () => onward.destroy()); // whoever asked has hung up, or has its answer
    if (answer.closed) onward.destroy();
    else incoming.pipe(onward);
  };

  const proxy = createServer(async (incoming, answer) => {
    const { method, url = "" } = incoming;
    const query = new URL(url, "http://localhost").searchParams;
    const id = query.get("uploadId") ?? "";
    const refuse = (status: number) => {
      incoming.resume();
      answer.writeHead(status).end();
    };
    if (method === "GET" && query.has("uploads")) return void answer.end(listing(open));
    if (method === "DELETE" && id !== "") {
      if (faults.giveUps === "refused") return refuse(403);
      return refuse(open.delete(id) ? 204 : 404);
    }
    if (method === "POST" && id !== "") open.delete(id); // complete
    if (method === "PUT" && Number(query.get("partNumber")) > 1) {
      if (faults.parts === "refused") return refuse(403);
      waiting++;
      await faults.parts;
      waiting--;
    }
    pass(incoming, answer);
  });
  proxy.keepAliveTimeout = 0;
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const flags = { ...s3.flags, "assets.s3.endpoint": endpoint };
  return { ...s3, flags, unfinished: () => [...open.values()], waiting: () => waiting };
}

function listing(open: ReadonlyMap<string, string>): string {
  const uploads = [...open].map(
    ([id, key]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`,
  );
  return `<?xml version="1.0"?><ListMultipartUploadsResult>${uploads.join("")}</ListMultipartUploadsResult>`;
}

// A service that speaks S3, with one bucket, gone with its test.
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratchDirectory } from "./scratch-directory.ts";

interface S3rver {
  readonly httpServer: Server;
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** The only one that it knows. */
export const S3_SECRET = "S3RVER";

/** Connections stay: a busy machine leaves them idle for longer than usual, and uses them in the moment they are closed. */
const NEVER_MS = 0;

/** It has no types of its own. */
const createS3rver = (options: object): S3rver => {
  const Constructor = createRequire(import.meta.url)("s3rver") as new (options: object) => S3rver;
  return new Constructor(options);
};

/** As one far away: requests of this kind about a file take their time. Returns its address. */
async function slowly(port: number, slow: SlowRequests): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const pass = () => {
      // A connection for each: one that was kept may be closed by the other end in the same moment.
      const to = { host: "127.0.0.1", port, method, path, headers, agent: false as const };
      const onward = request(to, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      onward.on("error", () => answer.destroy());
      onward.on("close", () => isSlow && slow.onDone?.());
      if (incoming.destroyed) onward.end();
      else incoming.pipe(onward);
    };
    const isSlow = method === slow.method && path?.includes("/files/") === true;
    if (!isSlow) return pass();
    slow.onBegin?.();
    if (slow.gate !== undefined) return void slow.gate.then(pass);
    const timer = setTimeout(pass, slow.ms);
    answer.once("close", () => clearTimeout(timer)); // it was given up
  });
  proxy.keepAliveTimeout = NEVER_MS;
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

interface SlowRequests {
  readonly method: "PUT" | "DELETE";
  readonly ms?: number;
  /** Instead: carried out then, even if whoever asked for it has hung up, or died. */
  readonly gate?: Promise<void>;
  readonly onBegin?: () => void;
  readonly onDone?: () => void;
}

export async function startS3(bucket = "assets", slow?: SlowRequests) {
  const directory = join(await scratchDirectory(), "s3");
  const server = createS3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  server.httpServer.keepAliveTimeout = NEVER_MS;
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  onTestFinished(stop);
  const direct = `http://127.0.0.1:${port}`;
  const endpoint = slow === undefined ? direct : await slowly(port, slow);
  return {
    ...{ directory: join(directory, bucket), endpoint, stop },
    flags: {
      "assets.s3.bucket": bucket,
      "assets.s3.endpoint": endpoint,
      "assets.s3.accessKeyId": "S3RVER",
      "assets.s3.secretAccessKey": S3_SECRET,
      "assets.s3.forcePathStyle": "true",
      "assets.s3.prefix": "croft/",
    },
  };
}

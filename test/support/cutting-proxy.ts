// A proxy before PostgreSQL that can lose an answer, so that whoever asked never learns of it, or fall silent for ever.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface CuttingProxy {
  /** Of the same database, by way of the proxy. */
  readonly databaseUrl: string;
  /**
   * Cuts the connection of the first statement with `request` in it, when its answer is complete and fits; that answer
   * is dropped. Resolves when it is done.
   */
  cut(request: string, fits?: (answer: string) => boolean): Promise<void>;
  /** Breaks off all connections whose last statement has `request` in it, whatever becomes of it. */
  breakOff(request: string): void;
  /** From the first statement with `request` in it on, nothing passes on its connection any more, and nobody ends it. */
  silence(request: string): Promise<void>;
}

interface Trap {
  readonly request: string;
  readonly fits: (answer: string) => boolean;
  readonly spring: () => void;
  readonly isSilent?: boolean;
}

/** "Ready for the next query, in no transaction": what came before is committed. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function cuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const url = new URL(databaseUrl.replace(/@[^/]+/, "@localhost"));
  const host = decodeURIComponent(/@([^/]+)/.exec(databaseUrl)?.[1] ?? "");
  const sockets = new Set<Socket>();
  const lastSaid = new Map<Socket, Buffer>();
  let trap: Trap | undefined;
  const server = createServer((client) => {
    const backend = connect(join(host, ".s.PGSQL.5432"));
    let caught: { readonly by: Trap; answer: Buffer } | undefined;
    const end = () => {
      for (const socket of [client, backend]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on("close", end).on("error", end);
    }
    let isSilent = false;
    client.on("data", (chunk) => {
      lastSaid.set(client, chunk);
      if (trap !== undefined && chunk.includes(trap.request)) {
        if (trap.isSilent === true) {
          isSilent = true;
          trap.spring();
          trap = undefined;
        } else {
          caught = { by: trap, answer: Buffer.alloc(0) };
        }
      }
      if (!isSilent) backend.write(chunk);
    });
    backend.on("data", (chunk) => {
      if (isSilent) return;
      if (caught === undefined) return void client.write(chunk);
      caught.answer = Buffer.concat([caught.answer, chunk]);
      if (!caught.answer.subarray(-READY.length).equals(READY)) return;
      const { by, answer } = caught;
      caught = undefined;
      if (trap !== by || !by.fits(answer.toString("latin1"))) return void client.write(answer);
      trap = undefined;
      end();
      by.spring();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    databaseUrl: `postgres://croft@127.0.0.1:${port}${url.pathname}`,
    cut: (request, fits = () => true) =>
      new Promise((resolve) => {
        trap = { request, fits, spring: resolve };
      }),
    breakOff: (request) => {
      for (const [socket, said] of lastSaid) if (said.includes(request)) socket.destroy();
    },
    silence: (request) =>
      new Promise((resolve) => {
        trap = { request, fits: () => true, spring: resolve, isSilent: true };
      }),
  };
}

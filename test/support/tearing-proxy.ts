// A proxy before a server that tears its connections: each lets so many bytes of the answers pass, and not one more.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TearingProxy {
  readonly url: string;
  close(): Promise<void>;
}

export interface TearingOptions {
  /** How many bytes the next connection lets pass. */
  readonly nextLimit: () => number;
  /** For clients that would do as the server says, and wait: digits, as many as it has. */
  readonly retry?: readonly [from: string, to: string];
}

export async function tearingProxy(
  target: string,
  { nextLimit, retry }: TearingOptions,
): Promise<TearingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let left = nextLimit();
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end);
    }
    upstream.on("close", () => void client.end()); // what was passed on still arrives
    client.on("close", end).pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      const text = chunk.toString("latin1");
      const told = Buffer.from(retry === undefined ? text : text.replace(...retry), "latin1");
      const isTorn = told.length > left;
      client.write(told.subarray(0, left));
      left -= told.length;
      if (isTorn) client.resetAndDestroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

// One address for servers that come one after another, as a load balancer or a fixed port gives them.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface SteadyAddress {
  readonly url: string;
  /** From now on this server is behind it; connections to the one before stay. */
  leadTo(url: string): void;
}

export async function steadyAddress(first: string): Promise<SteadyAddress> {
  let target = new URL(first);
  const sockets = new Set<Socket>();
  const front = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", end).on("error", end);
    }
    client.pipe(upstream).pipe(client);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    front.close();
    await once(front, "close");
  });
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    leadTo: (url) => {
      target = new URL(url);
    },
  };
}

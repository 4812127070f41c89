// A proxy before a server that lets so many bytes of the answers pass on each connection, and then waits for ever.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Returns its address. */
export async function stallingProxy(target: string, bytesMax: number): Promise<string> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
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
    let left = bytesMax;
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      client.write(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) upstream.pause();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

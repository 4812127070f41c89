// Closes the server without cutting an answer and without waiting for connections on which nothing is asked.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

export type Drain = (limitMs: number) => Promise<void>;

/** A browser opens connections in advance and keeps them; none of these may hold up the end. */
export function trackConnections(app: FastifyInstance, isDraining: () => boolean): Drain {
  const inFlight = new Map<Socket, number>();
  app.server.on("connection", (socket: Socket) => {
    inFlight.set(socket, 0);
    socket.once("close", () => inFlight.delete(socket));
  });
  app.server.on("request", ({ socket }: { socket: Socket }, response: ServerResponse) => {
    inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (inFlight.get(socket) ?? 1) - 1;
      if (inFlight.has(socket)) inFlight.set(socket, left);
      if (left === 0 && isDraining()) socket.end();
    });
  });
  app.addHook("onSend", async (_request, reply) => {
    if (isDraining()) reply.header("connection", "close");
  });

  return async (limitMs) => {
    for (const [socket, count] of inFlight) if (count === 0) socket.destroy();
    const cutOff = setTimeout(() => app.server.closeAllConnections(), limitMs);
    await app.close();
    clearTimeout(cutOff);
  };
}

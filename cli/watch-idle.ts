// Ends a server that nobody needs any more: no work, no open stream, and no request for a while.
import type { Server, ServerResponse } from "node:http";
import { type Engine, hasWork } from "@croft/engine";

const LOOK_EVERY_MS = { min: 50, max: 15_000 } as const;

/** Aborted when it has been idle for so long. Ends with the server it watches. */
export function watchIdle(engine: Engine, server: Server, limitMs: number): AbortSignal {
  const idle = new AbortController();
  let busyAt = Date.now();
  let open = 0;
  server.on("request", (_request, response: ServerResponse) => {
    open++;
    response.once("close", () => {
      open--;
      busyAt = Date.now();
    });
  });
  const look = async () => {
    try {
      if (open > 0 || (await hasWork(engine.database))) busyAt = Date.now();
    } catch (error) {
      busyAt = Date.now(); // in doubt it stays
      engine.log.warn({ err: error }, "cannot find out whether there is work");
    }
    if (open === 0 && Date.now() - busyAt >= limitMs) idle.abort("idle");
    else wait();
  };
  const everyMs = Math.min(Math.max(limitMs / 4, LOOK_EVERY_MS.min), LOOK_EVERY_MS.max);
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => void look(), everyMs);
  };
  server.once("close", () => clearTimeout(timer));
  wait();
  return idle.signal;
}

// The real HTTP side on a scratch engine, asked without a socket; closed when the test ends.
import type { Engine } from "@croft/engine";
import { buildServer, type ServerOptions } from "@croft/server";
import { pino } from "pino";
import { onTestFinished } from "vitest";

export async function scratchServer(engine: Engine, options: Partial<ServerOptions> = {}) {
  const app = await buildServer({
    engine,
    log: pino({ level: "silent" }),
    dashboard: "/nowhere",
    ownUrl: () => "",
    isDraining: () => false,
    ...options,
  });
  onTestFinished(() => app.close());
  return app;
}

// Whether the process lives, and whether it can serve.
import { performance } from "node:perf_hooks";
import { Alive, Ready } from "@croft/contract";
import { type Engine, EngineError, isDiskFull } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

export function healthRoutes(app: App, engine: Engine, isDraining: () => boolean): void {
  app.get(
    "/healthz",
    {
      config: { access: "public" },
      schema: {
        summary: "Whether the process lives",
        response: { 200: Alive, ...describeProblems() },
      },
    },
    async () => ({ status: "ok" as const }),
  );

  app.get(
    "/readyz",
    {
      config: { access: "public" },
      schema: {
        summary: "Whether requests can be served: the database is really asked",
        response: { 200: Ready, ...describeProblems("unavailable") },
      },
    },
    async () => {
      if (isDraining()) throw new EngineError("unavailable", "the server is shutting down");
      const askedAt = performance.now();
      try {
        await engine.database.pool.query("select 1");
      } catch (error) {
        throw new EngineError("unavailable", "the database does not answer", { cause: error });
      }
      const databaseMs = performance.now() - askedAt;
      // Still ready: whoever wants to make room by deleting something must get here.
      const disk = (await isDiskFull(engine)) ? ("full" as const) : ("ok" as const);
      return { status: "ready" as const, database_ms: databaseMs, disk };
    },
  );
}

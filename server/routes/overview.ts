// The numbers of the Overview page.
import { Overview } from "@croft/contract";
import { type Engine, readOverview } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import type { RequestMeter } from "../plugins/measure-requests.ts";

export function overviewRoutes(app: App, engine: Engine, meter: RequestMeter): void {
  app.get(
    "/api/overview",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["overview"],
        summary: "State of this installation in numbers",
        response: { 200: Overview, ...describeProblems("unauthenticated") },
      },
    },
    async () => ({
      ...(await readOverview(engine)),
      requests: meter.totals(),
      process: {
        pid: process.pid,
        node_version: process.version,
        rss_bytes: process.memoryUsage.rss(),
        event_loop_p99_ms: meter.eventLoopP99Ms(),
      },
    }),
  );
}

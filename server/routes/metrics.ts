// Figures for Prometheus.
import type { App } from "../app.ts";
import type { RequestMeter } from "../plugins/measure-requests.ts";

export function metricsRoutes(app: App, { registry }: RequestMeter): void {
  app.get(
    "/metrics",
    { config: { access: "metrics" }, schema: { summary: "Figures for Prometheus" } },
    async (_request, reply) => {
      reply.type(registry.contentType);
      return await registry.metrics();
    },
  );
}

// Counts and times requests, for /metrics and the Overview page.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Every tenth of a second: at 10 ms the monitors alone took half of an idle server's time. */
const SAMPLE_MS = 100;
/** What a person wants to know is how it is now, not how the start was. */
const WINDOW_MS = 60_000;

export interface RequestMeter {
  readonly registry: Registry;
  totals(): { total: number; failed: number };
  eventLoopP99Ms(): number;
}

export function measureRequests(app: FastifyInstance, version: string): RequestMeter {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_MS });
  new Gauge({
    name: "croft_info",
    help: "Version of Croft",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version }, 1);
  const durations = new Histogram({
    name: "croft_http_request_duration_seconds",
    help: "Time from the request's head to the end of the response",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const eventLoop = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  eventLoop.enable();
  const newWindow = setInterval(() => eventLoop.reset(), WINDOW_MS).unref();
  let total = 0;
  let failed = 0;

  app.addHook("onResponse", async (request, reply) => {
    total++;
    if (reply.statusCode >= 500) failed++;
    // The pattern, not the path: a label must not have a value for each id, or for whatever a scanner asks.
    const route = request.routeOptions.url ?? "unknown";
    const labels = { method: request.method, route, status: reply.statusCode };
    durations.observe(labels, reply.elapsedTime / 1000);
  });
  app.addHook("onClose", async () => {
    clearInterval(newWindow);
    eventLoop.disable();
  });

  return {
    registry,
    totals: () => ({ total, failed }),
    eventLoopP99Ms: () => {
      // Each sample includes the time the timer was meant to take.
      const delayMs = eventLoop.percentile(99) / 1e6 - SAMPLE_MS;
      return Math.round(Math.max(0, delayMs) * 100) / 100;
    },
  };
}

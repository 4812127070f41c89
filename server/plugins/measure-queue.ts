// Gauges of the queue and of open streams, read when a scraper asks.
import { type Engine, readHeldBack, readQueue } from "@croft/engine";
import { Gauge, type Registry } from "prom-client";
import type { EventStreams } from "../event-streams.ts";

export function measureQueue(registry: Registry, engine: Engine, streams: EventStreams): void {
  const registers = [registry];
  const jobs: Gauge<"state"> = new Gauge({
    name: "croft_jobs",
    help: "Jobs that run, wait in line, or are not due yet",
    labelNames: ["state"],
    registers,
    collect: async () => {
      const { running, queued, delayed, slots: all } = await readQueue(engine.database);
      jobs.set({ state: "running" }, running);
      jobs.set({ state: "queued" }, queued);
      jobs.set({ state: "delayed" }, delayed);
      slots.set(all);
    },
  });
  const slots = new Gauge({
    name: "croft_worker_slots",
    help: "Slots of all workers that live",
    registers,
  });
  const open: Gauge = new Gauge({
    name: "croft_event_streams",
    help: "Event streams that this process serves",
    registers,
    collect: () => open.set(streams.count),
  });
  const heldBack: Gauge<"pid"> = new Gauge({
    name: "croft_events_held_back_seconds",
    help: "How long the oldest open transaction holds the stream of all events back",
    labelNames: ["pid"],
    registers,
    collect: async () => {
      const holder = await readHeldBack(engine.database.pool);
      heldBack.reset();
      if (holder !== undefined) heldBack.set({ pid: holder.pid }, holder.seconds);
    },
  });
}

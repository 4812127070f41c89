// SIGKILL of workers and of the server while jobs come in and run: each acknowledged job ends once, and nothing is left.
import { setTimeout as delay } from "node:timers/promises";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { KillScene } from "./kill-scene.ts";

const BETWEEN_MS_MAX = 1500;
/** So often nobody is left alive. */
const ALL_EVERY = 20;

export async function killWorkersAndServer(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const scene = await KillScene.open(directory, seed);
  const { random, failures, workers } = scene;
  const figures = { worker_kills: 0, server_kills: 0, all_kills: 0 };
  const injected = () => figures.worker_kills + figures.server_kills;
  try {
    while (injected() < count && failures.length === 0) {
      await delay(random.below(BETWEEN_MS_MAX));
      const isTime = injected() >= ALL_EVERY * figures.all_kills + ALL_EVERY / 4;
      if (isTime && (await scene.killAll())) {
        figures.all_kills++;
        figures.worker_kills += workers.length;
        figures.server_kills++;
      } else if (random.below(4) === 0 && (await scene.killServer())) {
        figures.server_kills++;
      } else {
        await scene.killWorker(random.below(workers.length));
        figures.worker_kills++;
      }
    }
  } catch (error) {
    failures.push(`after ${injected()} kills: ${error instanceof Error ? error.message : error}`);
  }
  const ended = await scene.finish();
  return { injected: injected(), figures: { ...figures, ...ended }, failures };
}

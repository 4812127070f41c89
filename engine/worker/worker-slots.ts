// How many jobs one worker process has at a time.
import { availableParallelism } from "node:os";
import type { Config } from "../config/config.ts";

const SLOTS_MIN = 4;

export function workerSlots({ worker }: Pick<Config, "worker">): number {
  return worker.slots ?? Math.max(SLOTS_MIN, 2 * availableParallelism());
}

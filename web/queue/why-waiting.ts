// Why things wait, from the numbers of the queue: the same rules by which jobs are started.
import type { Lane, QueueState } from "@croft/contract";
import { formatCount } from "../format-count.ts";

export interface WaitingReason {
  readonly subject: string;
  readonly tone: "plain" | "warn" | "bad";
  readonly words: string;
}

/** What holds more than one lane up; empty while everything due can start. */
export function waitingReasons(queue: QueueState, lanes: readonly Lane[]): WaitingReason[] {
  if (queue.queued === 0) return [];
  const reasons: WaitingReason[] = [];
  const add = (subject: string, tone: WaitingReason["tone"], words: string) =>
    reasons.push({ subject, tone, words });
  if (queue.slots === 0) {
    add("workers", "bad", "No worker is alive, so nothing starts. `croft serve` brings one along.");
  } else if (queue.running >= queue.slots) {
    const slots = queue.slots === 1 ? "The one slot" : `All ${formatCount(queue.slots)} slots`;
    add("slots", "plain", `${slots} of the workers are taken.`);
  }
  if (queue.limit !== null && queue.running >= queue.limit) {
    add(
      "limit",
      "plain",
      `${formatCount(queue.limit)} jobs run, as many as this installation may.`,
    );
  }
  for (const { owner, running, limit, queued } of queue.owners) {
    if (queued === 0 || running < limit) continue;
    add(
      `owner ${owner}`,
      "plain",
      `\`${owner}\` runs ${formatCount(running)}, as many as one owner may.`,
    );
  }
  const full = lanes.filter((lane) => laneState(lane, queue) === "full");
  if (full.length > 0) {
    const waiting = full.reduce((sum, { queued }) => sum + queued, 0);
    const jobs = `${formatCount(waiting)} ${waiting === 1 ? "job waits" : "jobs wait"}`;
    const others = full.length === 1 ? "others of the same lane" : "others of their lanes";
    add("lanes", "plain", `${jobs} for ${others} to end: the limits of lanes are below.`);
  }
  const paused = lanes.filter(({ paused, queued }) => paused && queued > 0);
  const held = paused.reduce((sum, { queued }) => sum + queued, 0);
  if (held > 0) {
    const lanes =
      paused.length === 1 ? "A paused lane holds" : `${paused.length} paused lanes hold`;
    add("paused", "warn", `${lanes} ${formatCount(held)} ${held === 1 ? "job" : "jobs"} back.`);
  }
  return reasons;
}

export type LaneState = "idle" | "running" | "paused" | "full" | "owner" | "global" | "worker";

/** What the next job of a lane waits for, in the order in which room is looked for. */
export function laneState(lane: Lane, queue: QueueState | undefined): LaneState {
  if (lane.paused) return "paused";
  if (lane.queued === 0) return lane.running > 0 ? "running" : "idle";
  if (lane.limit !== null && lane.running >= lane.limit) return "full";
  const owner = queue?.owners.find(({ owner }) => owner === lane.owner);
  if (owner !== undefined && owner.running >= owner.limit) return "owner";
  if (queue !== undefined && queue.limit !== null && queue.running >= queue.limit) return "global";
  return "worker";
}

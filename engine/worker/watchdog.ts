// A process beside a worker: ends the commands of its jobs when the worker has not been heard of for too long, or is gone.
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { markedProcesses, processesIn, signalProcess } from "@croft/git";
import { monotonicMs } from "./monotonic-ms.ts";

/*
 * The worker's lease thread writes lines:
 *   "+ <uid> <directory>"   whatever runs in this directory is to be ended in time; "+ <directory>" is the answer
 *   "- <directory>"         no longer
 *   "= <milliseconds>"      when the newest renewal was asked for, by the clock that all processes share
 * The end of the input is the end of the worker.
 */
const [, , limit = ""] = process.argv;
const limitMs = Number(limit);
const LOOK_EVERY_MS = 100;
/** Looking is work: when nobody was found, there is time. */
const LOOK_AGAIN_MS = 1000;
/** After the worker's end; whoever is left then cannot be ended by anybody. */
const LAST_TRIES = 50;
/** What it was about to start may begin a moment later. */
const LINGER_MS = 2000;

const watched = new Map<string, number>();
let renewedAtMs = monotonicMs();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [, uid = "", directory = ""] = /^\+ (\d+) (.+)$/.exec(line) ?? [];
  if (directory !== "") {
    watched.set(directory, Number(uid));
    process.stdout.write(`+ ${directory}\n`);
  } else if (line.startsWith("- ")) watched.delete(line.slice(2));
  else renewedAtMs = Number(line.slice(2));
});
lines.on("close", () => void leave());
process.stdout.on("error", () => {}); // nobody waits for the answer any more
let looking = setTimeout(look, LOOK_EVERY_MS);

function look(): void {
  const leftMs = renewedAtMs + limitMs - monotonicMs();
  const isQuiet = leftMs < 0 && endAll() === 0;
  looking = setTimeout(look, isQuiet ? LOOK_AGAIN_MS : Math.max(LOOK_EVERY_MS, leftMs));
}

function endAll(): number {
  const found = [...watched].flatMap(([directory, uid]) => processesIn([directory], uid));
  for (const pid of found) signalProcess(pid, "SIGKILL");
  return found.length;
}

async function leave(): Promise<void> {
  clearTimeout(looking);
  for (let tries = 0; endAll() > 0 && tries < LAST_TRIES; tries++) await delay(LOOK_EVERY_MS);
  const untilMs = monotonicMs() + LINGER_MS;
  while (watched.size > 0 && monotonicMs() < untilMs) {
    await delay(LOOK_EVERY_MS);
    endLate();
  }
}

/** Only what was started for them: others of Croft come to clear up, and have files open there. */
function endLate(): void {
  for (const { pid, workspace } of markedProcesses(new Set(watched.values()))) {
    if (watched.has(workspace)) signalProcess(pid, "SIGKILL");
  }
}

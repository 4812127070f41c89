// Proves on this machine that a lock in a directory keeps a second process out, and that the kernel frees a dead one's.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LockFile } from "./lock-file.ts";
import { LOCK } from "./lock-line.ts";

export interface LockProof {
  readonly outcome: "safe" | "unsafe";
  readonly detail: string;
}

const ANSWER_MS_MAX = 10_000;
/** The kernel frees the locks of a killed process while it takes it apart. */
const FREED_MS_MAX = 1000;
const LOOK_EVERY_MS = 5;

/** Asked over its input, it tries to take the lock and says what came of it; it ends with us. */
const SECOND_PROCESS = `
  const { tryLock } = require(process.argv[1]);
  const descriptor = require("node:fs").openSync(process.argv[2], "r+");
  process.stdin.on("data", () => process.stdout.write(String(tryLock(descriptor, ${LOCK.from}, ${LOCK.length}))));
  process.stdin.on("end", () => process.exit());`;

export async function proveLock(directory: string): Promise<LockProof> {
  try {
    const place = await mkdtemp(join(directory, "lock-proof-"));
    try {
      return await prove(join(place, "lock"));
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  } catch (error) {
    return { outcome: "unsafe", detail: (error as Error).message };
  }
}

async function prove(path: string): Promise<LockProof> {
  const file = LockFile.openOrCreate(path, 0o600);
  const second = startSecondProcess(path);
  try {
    if (!file.tryLock(LOCK)) return unsafe("a lock that nobody has could not be taken");
    if (await second.locks()) return unsafe("a second process took a lock that was held");
    file.unlock(LOCK);
    if (!(await second.locks())) return unsafe("a second process could not take a free lock");
    if (file.tryLock(LOCK)) return unsafe("a lock that a second process held could be taken");
    await second.kill();
    if (!(await isFreed(file))) return unsafe("the lock of a killed process stayed held");
    return {
      outcome: "safe",
      detail: "held against a second process, and free when that was killed",
    };
  } finally {
    file.close();
    await second.kill();
  }
}

function unsafe(detail: string): LockProof {
  return { outcome: "unsafe", detail };
}

function startSecondProcess(path: string) {
  // By its own path: the second process has no directory from which the package could be found.
  const locking = createRequire(import.meta.url).resolve("fs-native-extensions");
  const child = spawn(process.execPath, ["--eval", SECOND_PROCESS, locking, path], { env: {} });
  let complaint = "";
  const ended = new Promise<undefined>((resolve) => {
    child.once("close", () => resolve(undefined));
    child.once("error", ({ message }) => {
      complaint = message;
      resolve(undefined);
    });
  });
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  child.stdin.on("error", () => {}); // it has ended, which is seen otherwise
  return {
    locks: async () => {
      const answer = await ask(child, ended);
      if (answer !== undefined) return answer === "true";
      throw new Error(
        `the second process did not answer: ${complaint.trim() || "it took too long"}`,
      );
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Undefined when it has ended or the time is up. */
async function ask(
  { stdin, stdout }: ChildProcessWithoutNullStreams,
  ended: Promise<undefined>,
): Promise<string | undefined> {
  stdin.write("try");
  const over = new AbortController();
  return await Promise.race([
    once(stdout, "data", { signal: over.signal }).then(String),
    ended,
    delay(ANSWER_MS_MAX, undefined, { signal: over.signal }),
  ]).finally(() => over.abort());
}

async function isFreed(file: LockFile): Promise<boolean> {
  const giveUpAt = performance.now() + FREED_MS_MAX;
  while (!file.tryLock(LOCK)) {
    if (performance.now() > giveUpAt) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}

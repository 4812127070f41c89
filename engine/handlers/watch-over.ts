// A thread that ends its process when the worker has gone or the memory is used up: a handler may keep the other one busy.
import { Worker } from "node:worker_threads";

export interface WatchOptions {
  /** The process without which this one has no purpose. */
  readonly parent: number;
  readonly memoryMb: number;
}

const LOOK_EVERY_MS = 200;
/** What Node itself takes. */
const PROGRAM_MB = 256;

/**
 * V8 limits only what it keeps itself; buffers lie elsewhere, so all that is in use is looked at, with what the processes that
 * it has started have for themselves (their programs are shared, and not counted). SIGABRT, as V8 ends a process whose heap is
 * full; SIGKILL for one that does not heed it.
 */
export function watchOver({ parent, memoryMb }: WatchOptions): void {
  const limitBytes = (memoryMb + PROGRAM_MB) * 1024 * 1024;
  const program = `
    const { readdirSync, readFileSync } = require("node:fs");
    const orNothing = (read, nothing) => {
      try { return read(); } catch { return nothing; } // it has ended, or no descriptor is free
    };
    const textOf = (path) => orNothing(() => readFileSync(path, "utf8"), "");
    const childrenOf = (pid) =>
      orNothing(() => readdirSync("/proc/" + pid + "/task"), []).flatMap(
        (thread) => textOf("/proc/" + pid + "/task/" + thread + "/children").match(/\\d+/g) ?? []);
    const ownBytesOf = (pid) => {
      const sizes = textOf("/proc/" + pid + "/status").matchAll(/^Rss(?:Anon|Shmem):\\s+(\\d+) kB/gm);
      return [...sizes].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
    };
    const bytesBelow = (pid) =>
      childrenOf(pid).reduce((sum, child) => sum + ownBytesOf(child) + bytesBelow(child), 0);
    let isAsked = false;
    setInterval(() => {
      if (process.ppid !== ${parent}) process.kill(process.pid, "SIGKILL");
      if (process.memoryUsage.rss() + bytesBelow(process.pid) <= ${limitBytes}) return;
      process.kill(process.pid, isAsked ? "SIGKILL" : "SIGABRT");
      isAsked = true;
    }, ${LOOK_EVERY_MS});`;
  const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  new Worker(program, { eval: true, execArgv: [], resourceLimits: limits }).unref();
}

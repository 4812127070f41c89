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
 * V8 limits only what it keeps itself; buffers lie elsewhere, so all that is in use is looked at. SIGABRT, as V8 ends a
 * process whose heap is full; SIGKILL for one that does not heed it.
 */
export function watchOver({ parent, memoryMb }: WatchOptions): void {
  const limitBytes = (memoryMb + PROGRAM_MB) * 1024 * 1024;
  const program = `
    let isAsked = false;
    setInterval(() => {
      if (process.ppid !== ${parent}) process.kill(process.pid, "SIGKILL");
      if (process.memoryUsage.rss() <= ${limitBytes}) return;
      process.kill(process.pid, isAsked ? "SIGKILL" : "SIGABRT");
      isAsked = true;
    }, ${LOOK_EVERY_MS});`;
  const limits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  new Worker(program, { eval: true, execArgv: [], resourceLimits: limits }).unref();
}

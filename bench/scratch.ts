// A directory for one benchmark and everything it starts: all of it ends with the benchmark, also by a failure or Ctrl-C.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Scratch {
  readonly path: string;
  /** To be done at the end; what was begun last ends first. */
  atEnd(end: () => Promise<unknown>): void;
}

export async function withScratch<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), "croft-bench-"));
  chmodSync(path, 0o711); // PostgreSQL may run as another user
  const ends: (() => Promise<unknown>)[] = [];
  const clean = async () => {
    try {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  };
  const onSignal = () => void clean().finally(() => process.exit(130));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    return await work({ path, atEnd: (end) => ends.push(end) });
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    await clean();
  }
}

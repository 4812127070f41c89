// What a process of handlers prints: to the log of the job that it has, and to nobody when it has none.
import type { ChildProcess } from "node:child_process";
import { setImmediate as nextTurn } from "node:timers/promises";

export type WriteOutput = (stream: "stdout" | "stderr", chunk: Buffer) => Promise<void> | undefined;

export class OutputReader {
  /** A promise that it returns is waited for before more is read. */
  write: WriteOutput | undefined;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<Promise<void>>();
  #hasSaid = false;
  #isClosed = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#read("stdout");
    this.#read("stderr");
  }

  /** One of the two: what is printed next would be seen by nobody. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What it wrote before it said that it is done lies in the pipes: a turn without a word means that all was read. */
  async untilQuiet(limitMs: number): Promise<void> {
    const giveUpAt = Date.now() + limitMs;
    do {
      this.#hasSaid = false;
      await Promise.allSettled(this.#waiting);
      await nextTurn();
      await nextTurn();
    } while ((this.#hasSaid || this.#waiting.size > 0) && Date.now() < giveUpAt);
  }

  /** Somebody else may keep them open. */
  close(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #read(name: "stdout" | "stderr"): void {
    const stream = this.#child[name];
    stream?.on("error", () => {}); // destroyed while it was read
    stream?.once("end", () => {
      this.#isClosed = true;
    });
    stream?.on("data", (chunk: Buffer) => {
      this.#hasSaid = true;
      const wait = this.write?.(name, chunk);
      if (wait === undefined) return;
      const goOn = () => {
        this.#waiting.delete(wait);
        stream.resume();
      };
      this.#waiting.add(wait);
      stream.pause();
      wait.then(goOn, goOn);
    });
  }
}

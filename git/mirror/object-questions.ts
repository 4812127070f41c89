// What objects are and how large, asked of one git for as long as somebody needs to know: its start costs more than its answers.
import type { ChildProcess } from "node:child_process";
import { endProcessGroup } from "../command/end-process-group.ts";
import { GitError } from "../command/git-error.ts";
import { startGit } from "../command/run-git.ts";
import type { TreePlace } from "./tree-entries.ts";

/** `missing`: there is none of that name. */
export type ObjectAnswer = { readonly type: string; readonly size: number } | "missing";

const SILENCE_MS_MAX = 60_000;
const LEAVE_MS_MAX = 2000;
const COMMAND = { command: "cat-file" };

/** Started at once; whoever opens it closes it. One question at a time. */
export class ObjectQuestions {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #signal: AbortSignal | undefined;
  #text = "";
  #isEnded = false;
  #wake = () => {};

  constructor({ gitDir, signal }: TreePlace) {
    this.#signal = signal;
    const args = ["cat-file", "--batch-check=%(objecttype) %(objectsize)"];
    this.#child = startGit(args, { gitDir }, true);
    const end = () => {
      this.#isEnded = true;
      this.#wake();
    };
    this.#child.stdout?.on("data", (piece: Buffer) => {
      this.#text += piece.toString("latin1");
      this.#wake();
    });
    this.#child.stdout?.on("end", end);
    this.#child.stderr?.resume();
    this.#ended = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      this.#child.once("error", () => {
        end();
        resolve();
      });
    });
  }

  /** Ids, or `<commit>:<path>` without white space; the answers in their order. */
  async ask(names: readonly string[]): Promise<ObjectAnswer[]> {
    if (names.length === 0) return [];
    this.#signal?.throwIfAborted();
    this.#child.stdin?.write(names.map((name) => `${name}\n`).join(""));
    const lines: string[] = [];
    while (lines.length < names.length) {
      const ends = this.#text.split("\n");
      this.#text = ends.pop() ?? "";
      lines.push(...ends);
      if (lines.length >= names.length) break;
      if (this.#isEnded) throw new GitError("failed", "git cat-file ended too soon", COMMAND);
      await this.#more();
    }
    return lines.map(answerOf);
  }

  /** It ends by itself when nobody can ask any more, and is not waited for; by force if it does not. */
  close(): void {
    this.#child.stdin?.destroy();
    this.#child.stdout?.resume();
    const timer = setTimeout(() => void endProcessGroup(this.#child), LEAVE_MS_MAX);
    void this.#ended.then(() => clearTimeout(timer));
  }

  async #more(): Promise<void> {
    const signal = this.#signal;
    let leave = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const late = new GitError("timeout", "git cat-file does not answer", COMMAND);
        const timer = setTimeout(() => reject(late), SILENCE_MS_MAX);
        const onAbort = () => reject(new GitError("aborted", "git cat-file was aborted", COMMAND));
        signal?.addEventListener("abort", onAbort, { once: true });
        this.#wake = resolve;
        leave = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
      });
    } finally {
      leave();
    }
  }
}

function answerOf(line: string): ObjectAnswer {
  const [, type, size] = /^([a-z]+) (\d+)$/.exec(line) ?? [];
  return type === undefined ? "missing" : { type, size: Number(size) };
}

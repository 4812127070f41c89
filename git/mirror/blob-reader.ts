// Reads the contents of blobs: small ones through one git that stays, large ones each through its own.
import type { ChildProcess } from "node:child_process";
import { endProcessGroup } from "../command/end-process-group.ts";
import { GitError } from "../command/git-error.ts";
import { startGit } from "../command/run-git.ts";
import { streamGit } from "../command/stream-git.ts";
import { BatchAnswers } from "./batch-answers.ts";

export interface ReadBlobOptions {
  /** Larger ones are refused: they are for `streamBlob`. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamBlobOptions {
  /** So many bytes are left out. Git cannot begin in the middle: to go on with a stream is cheaper than a new one. */
  readonly start?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Question {
  readonly id: string;
  readonly maxBytes: number;
  tries: number;
  isOver: boolean;
  readonly resolve: (content: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

const READ_BYTES_MAX = 8 * 1024 * 1024;
/** So many are asked of git at once; the others wait here, where their readers can still leave. */
const ASKED_MAX = 64;
const TRIES_MAX = 2;
const IDLE_MS = 30_000;

/**
 * Whoever reads a large file slowly must not keep the others, so large ones do not go through the shared git. That one
 * is started when it is needed, again when it died, and ended when nobody has asked for a while.
 */
export class BlobReader {
  readonly #gitDir: string;
  readonly #waiting: Question[] = [];
  #asked: Question[] = [];
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor({ gitDir }: { readonly gitDir: string }) {
    this.#gitDir = gitDir;
  }

  async readBlob(id: string, options: ReadBlobOptions = {}): Promise<Buffer> {
    const { maxBytes = READ_BYTES_MAX, signal } = options;
    requireId(id);
    signal?.throwIfAborted();
    if (this.#isClosed) throw new GitError("aborted", "the reader is closed", COMMAND);
    let onAbort = () => {};
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const question = { id, maxBytes, tries: 0, isOver: false, resolve, reject };
        onAbort = () => {
          question.isOver = true;
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        this.#waiting.push(question);
        this.#askMore();
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** In pieces, no faster than they are taken. Ends its git when the reader leaves. */
  async *streamBlob(
    id: string,
    { start = 0, signal }: StreamBlobOptions = {},
  ): AsyncGenerator<Buffer, void, undefined> {
    requireId(id);
    let skip = start;
    for await (const piece of streamGit(["cat-file", "blob", id], {
      gitDir: this.#gitDir,
      signal,
    })) {
      if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
      skip = Math.max(0, skip - piece.length);
    }
  }

  /** Reads that are not done fail. Resolves when git has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new GitError("aborted", "the reader was closed", COMMAND);
    for (const question of [...this.#asked, ...this.#waiting]) settle(question, error);
    this.#waiting.length = 0;
    this.#asked = [];
    this.#drop();
    await Promise.all(this.#ending);
  }

  #askMore(): void {
    clearTimeout(this.#idle);
    const lines: string[] = [];
    while (this.#asked.length < ASKED_MAX) {
      const question = this.#waiting.shift();
      if (question === undefined) break;
      if (question.isOver) continue;
      question.tries++;
      this.#asked.push(question);
      lines.push(`${question.id}\n`);
    }
    if (lines.length > 0) (this.#child ?? this.#start()).stdin?.write(lines.join(""));
    if (this.#asked.length === 0 && this.#child !== undefined) {
      this.#idle = setTimeout(() => this.#drop(), IDLE_MS);
      this.#idle.unref();
    }
  }

  #start(): ChildProcess {
    const child = startGit(["cat-file", "--batch"], { gitDir: this.#gitDir }, true);
    const answers = new BatchAnswers({
      isWanted: (size) => size <= (this.#asked[0]?.maxBytes ?? 0),
      onAnswer: (answer) => this.#answered(child, answer),
    });
    let said = "";
    child.stdout?.on("data", (piece: Buffer) => answers.take(piece));
    child.stdout?.on("end", () => this.#lost(child, said));
    child.stderr?.on("data", (piece: Buffer) => {
      said = (said + piece.toString("utf8")).slice(-1000);
    });
    child.once("error", (error) => this.#lost(child, error.message));
    this.#child = child;
    return child;
  }

  #answered(child: ChildProcess, answer: Buffer | "missing" | "no-blob" | "too-large"): void {
    if (child !== this.#child) return;
    const question = this.#asked.shift();
    if (question === undefined) return;
    if (Buffer.isBuffer(answer)) {
      question.isOver = true;
      question.resolve(answer);
    } else if (answer === "missing") {
      settle(question, missing(question.id));
    } else {
      // Its content is on its way, and may be long: another git answers the others.
      settle(question, answer === "no-blob" ? missing(question.id) : tooLarge(question));
      this.#drop();
      this.#askAgain();
      return;
    }
    this.#askMore();
  }

  /** Somebody ended it, or it met something damaged: once more for each, then the failure is theirs. */
  #lost(child: ChildProcess, said: string): void {
    if (child !== this.#child) return;
    this.#drop();
    const [first] = this.#asked;
    if (first !== undefined && first.tries >= TRIES_MAX) {
      this.#asked.shift();
      const reason = `git cat-file ended: ${said.trim().split("\n")[0] || "without a word"}`;
      settle(first, new GitError("corrupt", reason, { ...COMMAND, stderr: said }));
    }
    this.#askAgain();
  }

  #askAgain(): void {
    this.#waiting.unshift(...this.#asked);
    for (const question of this.#asked.slice(1)) question.tries--; // only the first one was being answered
    this.#asked = [];
    this.#askMore();
  }

  #drop(): void {
    clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.stdin?.destroy();
    child.stdout?.destroy();
    const ended = endProcessGroup(child).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

const COMMAND = { command: "cat-file" };

function settle(question: Question, error: Error): void {
  if (!question.isOver) question.reject(error);
  question.isOver = true;
}

/** Git would take any name of a revision. */
function requireId(id: string): void {
  if (!/^[0-9a-f]{40}$/.test(id)) throw new TypeError(`not a blob's id: '${id.slice(0, 80)}'`);
}

function missing(id: string): GitError {
  return new GitError("not-found", `the mirror has no blob '${id}'`, COMMAND);
}

function tooLarge({ id, maxBytes }: Question): GitError {
  return new GitError("too-large", `blob '${id}' is larger than ${maxBytes} bytes`, COMMAND);
}

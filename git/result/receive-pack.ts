// Takes what comes out of a sandbox: one line with a commit's id, then the bytes of a pack into a file, so many and no more.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";

const HEAD_BYTES_MAX = 100;

export class PackReceiver extends Writable {
  readonly #descriptor: number;
  readonly #maxBytes: number;
  #head = Buffer.alloc(0);
  #hasHead = false;
  #packBytes = 0;

  constructor(file: string, maxBytes: number) {
    super();
    this.#descriptor = openSync(file, "wx", 0o600);
    this.#maxBytes = maxBytes;
  }

  get packBytes(): number {
    return this.#packBytes;
  }

  /** Undefined while none has come, or something else has. */
  get commit(): CommitId | undefined {
    const text = this.#head.toString("latin1").trimEnd();
    return this.#hasHead && isCommitId(text) ? text : undefined;
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error) => void): void {
    try {
      this.#take(chunk);
      callback();
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
    }
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    closeSync(this.#descriptor);
    callback(error);
  }

  override _final(callback: (error?: Error) => void): void {
    fsyncSync(this.#descriptor);
    callback();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    if (!this.#hasHead) {
      const end = chunk.indexOf(10);
      this.#head = Buffer.concat([this.#head, end === -1 ? chunk : chunk.subarray(0, end)]);
      if (this.#head.length > HEAD_BYTES_MAX) throw refused("it does not begin with a commit's id");
      if (end === -1) return;
      this.#hasHead = true;
      rest = chunk.subarray(end + 1);
    }
    this.#packBytes += rest.length;
    if (this.#packBytes > this.#maxBytes)
      throw refused(`it is larger than ${this.#maxBytes} bytes`);
    for (let at = 0; at < rest.length; ) at += writeSync(this.#descriptor, rest, at);
  }
}

function refused(why: string): WorkspaceError {
  return new WorkspaceError("result-refused", `the job's result is refused: ${why}`);
}

// A process of handlers that is ready before it is needed, and has had no job yet.
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@croft/git";
import { newId } from "../new-id.ts";
import type { HandlerCommand } from "./handler-command.ts";
import { HandlerProcess } from "./handler-process.ts";

export interface HandlerSuccessorOptions extends Omit<HandlerCommand, "directory"> {
  /** Below it each process has its own directory. */
  readonly root: string;
  readonly end: (fresh: FreshHandlers) => Promise<void>;
  readonly onError: (error: unknown, what: string) => void;
}

export interface FreshHandlers {
  readonly handlers: HandlerProcess;
  readonly directory: string;
}

/** By then those it was meant for have ended, too. */
const IDLE_LIMIT_MS = 60_000;
/** So long nobody starts another after one that could not be started: it would end the same way. */
const REST_MS = 1000;

/*
 *   nobody ──sendFor──▶ starting ──▶ ready ──take──▶ nobody
 *     ▲                    │           │
 *     └────── failed ──────┴── idle, fallen
 */
export class HandlerSuccessor {
  readonly #options: HandlerSuccessorOptions;
  readonly #closing = new AbortController();
  #starting: Promise<void> | undefined;
  #isPromised = false;
  #ready: FreshHandlers | undefined;
  #timer: NodeJS.Timeout | undefined;
  #restUntilMs = 0;

  constructor(options: HandlerSuccessorOptions) {
    this.#options = options;
  }

  /** Never two at a time, however many are asked for. */
  sendFor(): void {
    const isThere = this.#starting !== undefined || this.isReady;
    if (isThere || this.#closing.signal.aborted || performance.now() < this.#restUntilMs) return;
    void this.#dismiss();
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined;
    });
  }

  /** While one is being started the first who asks waits for it; others are to start their own. */
  async untilReady(signal: AbortSignal): Promise<void> {
    if (this.#starting === undefined || this.#isPromised) return;
    signal.throwIfAborted();
    this.#isPromised = true;
    const over = new AbortController();
    const stopped = once(signal, "abort", { signal: over.signal }).catch(() => {}); // it was not
    await Promise.race([this.#starting, stopped]);
    over.abort();
    this.#isPromised = false;
    signal.throwIfAborted();
  }

  get isReady(): boolean {
    return this.#ready?.handlers.isFit === true;
  }

  take(): FreshHandlers | undefined {
    const fresh = this.#ready;
    if (fresh?.handlers.isFit !== true) {
      void this.#dismiss();
      return undefined;
    }
    this.#ready = undefined;
    clearTimeout(this.#timer);
    return fresh;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the handlers are being shut down"));
    await this.#starting;
    await this.#dismiss();
  }

  async #start(): Promise<void> {
    const { root, onError } = this.#options;
    const directory = join(root, newId());
    const { signal } = this.#closing;
    try {
      await mkdir(directory, { mode: 0o700 });
      const handlers = await HandlerProcess.start({ ...this.#options, directory }, signal);
      this.#ready = { handlers, directory };
      this.#timer = setTimeout(() => void this.#dismiss(), IDLE_LIMIT_MS).unref();
    } catch (error) {
      this.#restUntilMs = performance.now() + REST_MS;
      if (!signal.aborted) onError(error, "a process of handlers could not be started beforehand");
      await removeTree(directory).catch((left) => onError(left, "its directory stays"));
    }
  }

  async #dismiss(): Promise<void> {
    const fresh = this.#ready;
    this.#ready = undefined;
    clearTimeout(this.#timer);
    if (fresh !== undefined) await this.#options.end(fresh);
  }
}

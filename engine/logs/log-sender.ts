// Brings the log of one attempt to the database: in order, each piece once, and again while the database is away.
import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import type { Database } from "../database/open-database.ts";
import type { LogText } from "./log-text.ts";

export interface LogSenderOptions {
  readonly database: Database;
  readonly jobId: string;
  readonly attempt: number;
  readonly workerId: string;
  readonly onError: (error: unknown) => void;
}

interface Piece extends LogText {
  readonly bytes: number;
  /** Our own word that text is missing. */
  readonly isNotice?: true;
}

const PIECE_BYTES_MAX = 64 * 1024;
const PIECE_EVERY_MS = 200;
/** What goes in one statement. */
const BATCH_BYTES_MAX = 1024 * 1024;
/** From here on whoever writes is asked to wait. */
const CALM_BYTES_MAX = 1024 * 1024;
/** Of one that does not wait, more than this is not remembered. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** For errors that time may not mend. */
const TRIES_MAX = 3;
const AGAIN_AFTER_MS = [50, 100, 250, 500, 1000] as const;

export class LogSender {
  readonly #options: LogSenderOptions;
  readonly #gone = new AbortController();
  #pieces: Piece[] = [];
  /** Also of those that are on their way. */
  #waitingBytes = 0;
  #missingBytes = 0;
  /** The last piece of this attempt that is known to be stored. */
  #lastSeq: number | null = null;
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;
  #sending: Promise<void> = Promise.resolve();
  #room: { readonly promise: Promise<void>; readonly open: () => void } | undefined;

  constructor(options: LogSenderOptions) {
    this.#options = options;
  }

  /** When there is calm again; undefined: there is now. Never rejects. */
  get room(): Promise<void> | undefined {
    if (this.#waitingBytes < CALM_BYTES_MAX || this.#gone.signal.aborted) return undefined;
    if (this.#room === undefined) {
      let open = () => {};
      const promise = new Promise<void>((resolve) => {
        open = resolve;
      });
      this.#room = { promise, open };
    }
    return this.#room.promise;
  }

  push({ stream, text }: LogText): void {
    if (text === "" || this.#gone.signal.aborted) return;
    const bytes = Buffer.byteLength(text);
    if (this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      this.#missingBytes += bytes;
      return;
    }
    this.#tellMissing();
    this.#add({ stream, text, bytes });
    if (this.#waitingBytes >= PIECE_BYTES_MAX) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), PIECE_EVERY_MS);
  }

  /** Resolves when everything is stored, or was given up. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#tellMissing();
    if (this.#pieces.length === 0 && !this.#isSending) return;
    const { signal } = this.#gone;
    const gone = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    while (this.#pieces.length > 0 || this.#isSending) {
      this.#send();
      await Promise.race([this.#sending, gone]); // an answer that never comes keeps nobody who has gone
      if (signal.aborted) return;
    }
  }

  /** Nothing of this attempt counts any more: nobody waits for it, whatever the database does. */
  abandon(): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    clearTimeout(this.#timer);
    this.#pieces = [];
    this.#letGo(this.#waitingBytes);
  }

  #tellMissing(): void {
    if (this.#missingBytes === 0) return;
    this.#add(noticeOf(`${this.#missingBytes} bytes are missing here: they came too fast`));
    this.#missingBytes = 0;
  }

  #add(piece: Piece): void {
    const last = this.#pieces.at(-1);
    this.#waitingBytes += piece.bytes;
    if (last?.stream === piece.stream && last.bytes + piece.bytes <= PIECE_BYTES_MAX) {
      const { stream, text, bytes } = last;
      this.#pieces.splice(-1, 1, {
        ...{ stream, text: text + piece.text, bytes: bytes + piece.bytes },
      });
    } else {
      this.#pieces.push(...partsOf(piece));
    }
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isSending && this.#pieces.length > 0) this.#sending = this.#sendAll();
  }

  /** Small ones wait for more, as long as more may come. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    do {
      const pieces = this.#takeBatch();
      await this.#deliver(pieces);
      this.#letGo(pieces.reduce((sum, { bytes }) => sum + bytes, 0));
    } while (this.#waitingBytes >= PIECE_BYTES_MAX || (this.#isEnding && this.#pieces.length > 0));
    this.#isSending = false;
    if (this.#pieces.length > 0) this.#timer ??= setTimeout(() => this.#send(), PIECE_EVERY_MS);
  }

  #takeBatch(): Piece[] {
    let bytes = 0;
    const after = this.#pieces.findIndex((piece) => {
      bytes += piece.bytes;
      return bytes > BATCH_BYTES_MAX;
    });
    return this.#pieces.splice(0, after === -1 ? this.#pieces.length : Math.max(1, after));
  }

  /** Until it is stored. A batch stays as it is: the database knows by the last piece before it whether it has it already. */
  async #deliver(pieces: readonly Piece[]): Promise<void> {
    for (let failures = 0; !this.#gone.signal.aborted; failures++) {
      try {
        return await this.#append(pieces);
      } catch (error) {
        if (failures === 0) this.#options.onError(error);
        if (!isDatabaseUnavailable(error) && failures + 1 >= TRIES_MAX) return this.#drop(pieces);
        const { signal } = this.#gone;
        const pauseMs = AGAIN_AFTER_MS[Math.min(failures, AGAIN_AFTER_MS.length - 1)];
        await delay(pauseMs, undefined, { signal }).catch(() => {}); // given up
      }
    }
  }

  async #append(pieces: readonly Piece[]): Promise<void> {
    const { database, jobId, attempt, workerId } = this.#options;
    const texts = pieces.map(({ stream, text }) => ({ stream, text }));
    const { rows } = await database.pool.query<{ seq: number | null }>({
      name: "append-log",
      text: "select croft.append_log($1, $2, $3, $4, $5) as seq",
      values: [jobId, attempt, workerId, this.#lastSeq, JSON.stringify(texts)],
    });
    this.#lastSeq = rows[0]?.seq ?? null;
    if (this.#lastSeq === null) this.abandon(); // another attempt writes now, or none
  }

  #drop(pieces: readonly Piece[]): void {
    const lost = pieces.filter(({ isNotice }) => isNotice !== true);
    if (lost.length === 0) return;
    const bytes = lost.reduce((sum, piece) => sum + piece.bytes, 0);
    const notice = noticeOf(`${bytes} bytes are missing here: they could not be stored`);
    this.#pieces.unshift(notice);
    this.#waitingBytes += notice.bytes;
  }

  #letGo(bytes: number): void {
    this.#waitingBytes = Math.max(0, this.#waitingBytes - bytes);
    if (this.#waitingBytes >= CALM_BYTES_MAX) return;
    this.#room?.open();
    this.#room = undefined;
  }
}

function noticeOf(what: string): Piece {
  const text = `\n… ${what}\n`;
  return { stream: "croft", text, bytes: Buffer.byteLength(text), isNotice: true };
}

/** Never in the middle of a character. */
function partsOf({ stream, text, bytes }: Piece): Piece[] {
  if (bytes <= PIECE_BYTES_MAX) return [{ stream, text, bytes }];
  const parts: Piece[] = [];
  const length = PIECE_BYTES_MAX / 4;
  for (let at = 0; at < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(at + length - 1));
    const part = text.slice(at, at + length - (isPair ? 1 : 0));
    parts.push({ stream, text: part, bytes: Buffer.byteLength(part) });
    at += part.length;
  }
  return parts;
}

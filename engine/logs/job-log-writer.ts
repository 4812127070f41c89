// Writes the log of one attempt: redacted, in pieces, up to a size, and only as long as the attempt is the current one.
import { StringDecoder } from "node:string_decoder";
import type { Database } from "../database/open-database.ts";
import { storable } from "../jobs/job-failure.ts";
import { RedactStream } from "./redact-stream.ts";

export type LogStream = "stdout" | "stderr" | "croft";

export interface JobLogOptions {
  readonly database: Database;
  readonly jobId: string;
  readonly attempt: number;
  readonly workerId: string;
  readonly secrets?: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly onError: (error: unknown) => void;
}

interface Piece {
  readonly stream: LogStream;
  readonly text: string;
}

const PIECE_BYTES_MAX = 64 * 1024;
const PIECE_EVERY_MS = 200;
/** What may wait for the database. A command that writes faster is cut, not remembered. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

export class JobLogWriter {
  readonly #options: JobLogOptions;
  readonly #streams = new Map<LogStream, { decoder: StringDecoder; redact: RedactStream }>();
  #pieces: Piece[] = [];
  #waitingBytes = 0;
  #writtenBytes = 0;
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: JobLogOptions) {
    this.#options = options;
  }

  write(stream: LogStream, chunk: Buffer | string): void {
    const { decoder, redact } = this.#streamOf(stream);
    this.#add(stream, redact.push(typeof chunk === "string" ? chunk : decoder.write(chunk)));
  }

  /** Resolves when everything is in the database, or was refused because another attempt writes now. */
  async end(): Promise<void> {
    for (const [stream, { decoder, redact }] of this.#streams) {
      this.#add(stream, redact.push(decoder.end()) + redact.end());
    }
    this.#flush();
    await this.#writing;
  }

  #streamOf(stream: LogStream) {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const made = {
      decoder: new StringDecoder("utf8"),
      redact: new RedactStream(this.#options.secrets),
    };
    this.#streams.set(stream, made);
    return made;
  }

  #add(stream: LogStream, redacted: string): void {
    if (redacted === "" || this.#isCut) return;
    const text = storable(redacted);
    const bytes = Buffer.byteLength(text);
    const isFull =
      this.#writtenBytes + bytes > this.#options.maxBytes ||
      this.#waitingBytes + bytes > WAITING_BYTES_MAX;
    if (isFull) {
      this.#isCut = true;
      const rest = "\n… the log is cut here: it has become too long\n";
      this.#pieces.push({ stream: "croft", text: rest });
    } else {
      this.#writtenBytes += bytes;
      this.#waitingBytes += bytes;
      this.#join(stream, text);
    }
    if (this.#waitingBytes >= PIECE_BYTES_MAX) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), PIECE_EVERY_MS);
  }

  #join(stream: LogStream, text: string): void {
    const last = this.#pieces.at(-1);
    if (last?.stream === stream && last.text.length + text.length <= PIECE_BYTES_MAX) {
      this.#pieces[this.#pieces.length - 1] = { stream, text: last.text + text };
    } else {
      for (const part of partsOf(text)) this.#pieces.push({ stream, text: part });
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const pieces = this.#pieces;
      if (pieces.length === 0) return;
      this.#pieces = [];
      this.#waitingBytes = 0;
      const { database, jobId, attempt, workerId, onError } = this.#options;
      try {
        await database.pool.query({
          name: "append-log",
          text: "select croft.append_log($1, $2, $3, $4)",
          values: [jobId, attempt, workerId, JSON.stringify(pieces)],
        });
      } catch (error) {
        onError(error);
      }
    });
  }
}

/** Never in the middle of a character. */
function* partsOf(text: string): Generator<string> {
  const length = PIECE_BYTES_MAX / 4;
  for (let at = 0; at < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(at + length - 1));
    const end = at + length - (isPair ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

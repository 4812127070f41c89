// Writes the log of one attempt: redacted, up to a size, and only as long as the attempt is the current one.
import { StringDecoder } from "node:string_decoder";
import { storable } from "../jobs/job-failure.ts";
import { LogSender, type LogSenderOptions } from "./log-sender.ts";
import { cutText, LogTail } from "./log-tail.ts";
import type { LogStream } from "./log-text.ts";
import { RedactStream } from "./redact-stream.ts";
import { SecretMask } from "./secret-mask.ts";

export interface JobLogOptions extends LogSenderOptions {
  readonly maxBytes: number;
}

/** Why something failed stands at its end: so much of that is kept, however long the log became before. */
const TAIL_BYTES_MAX = 64 * 1024;
export const NO_SECRETS: SecretMask = new SecretMask();

export class JobLogWriter {
  readonly #maxBytes: number;
  readonly #tailBytes: number;
  readonly #sender: LogSender;
  readonly #streams = new Map<LogStream, { decoder: StringDecoder; redact: RedactStream }>();
  #mask = NO_SECRETS;
  #headBytes = 0;
  /** From when on only the end is kept. */
  #tail: LogTail | undefined;

  constructor(options: JobLogOptions) {
    this.#maxBytes = options.maxBytes;
    this.#tailBytes = Math.min(TAIL_BYTES_MAX, Math.floor(options.maxBytes / 4));
    this.#sender = new LogSender(options);
  }

  /** Blots these out of everything that is written from now on. */
  mask(secrets: readonly string[]): SecretMask {
    this.#mask = this.#mask.and(secrets);
    for (const { redact } of this.#streams.values()) redact.use(this.#mask);
    return this.#mask;
  }

  /** With all that is blotted out so far: for texts of the attempt that go elsewhere. */
  get secrets(): SecretMask {
    return this.#mask;
  }

  /** A promise: the database does not keep up, and whoever can wait should, until then. It never rejects. */
  write(stream: LogStream, chunk: Buffer | string): Promise<void> | undefined {
    const { decoder, redact } = this.#streamOf(stream);
    this.#add(stream, redact.push(typeof chunk === "string" ? chunk : decoder.write(chunk)));
    return this.#tail === undefined ? this.#sender.room : undefined;
  }

  /** Resolves when everything is in the database, or was refused because another attempt writes now. */
  async end(): Promise<void> {
    for (const [stream, { decoder, redact }] of this.#streams) {
      this.#add(stream, redact.push(decoder.end()) + redact.end());
    }
    await this.#sender.room; // the end is not to be what there is no room for
    const { missingBytes = 0, texts = [] } = this.#tail?.end() ?? {};
    if (missingBytes > 0) {
      this.#notice(`${missingBytes} bytes are missing here: a log has at most ${this.#maxBytes}`);
    }
    for (const text of texts) this.#sender.push(text);
    await this.#sender.end();
  }

  /** The attempt is not ours any more, and nobody waits for what it wrote last. */
  abandon(): void {
    this.#sender.abandon();
  }

  #streamOf(stream: LogStream) {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const made = {
      decoder: new StringDecoder("utf8"),
      redact: new RedactStream(this.#mask),
    };
    this.#streams.set(stream, made);
    return made;
  }

  #add(stream: LogStream, redacted: string): void {
    if (redacted === "") return;
    const text = storable(redacted);
    if (this.#tail !== undefined) {
      this.#addToTail(this.#tail, stream, text);
      return;
    }
    const [head, rest] = cutText(text, this.#maxBytes - this.#tailBytes - this.#headBytes);
    this.#headBytes += Buffer.byteLength(head);
    this.#sender.push({ stream, text: head });
    if (rest === "") return;
    this.#tail = new LogTail(this.#tailBytes);
    this.#addToTail(this.#tail, stream, rest);
  }

  #addToTail(tail: LogTail, stream: LogStream, text: string): void {
    const wasCut = tail.isCut;
    tail.push({ stream, text });
    if (wasCut || !tail.isCut) return;
    this.#notice("the log has become too long: from here on only its end is kept");
  }

  #notice(what: string): void {
    this.#sender.push({ stream: "croft", text: `\n… ${what}\n` });
  }
}

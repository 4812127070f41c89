// A form with one file in it (multipart/form-data), read as it comes.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { AssetUpload } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { brokenOff, type FileDetails, type ReceivedFile } from "./received-file.ts";

const LIMITS = { fields: 10, files: 1, parts: 11, fieldNameSize: 100, fieldSize: 2000 } as const;
/** Of a part without any head the parser says nothing: no end, no error. */
const STALLED_MS = 2000;
const FIELDS = ["name", "source_task_id", "commit"];

interface FormFile {
  readonly stream: Readable;
  readonly name: string | undefined;
  readonly type: string;
}

export async function receiveForm(
  raw: IncomingMessage,
  detailsOf: (fields: AssetUpload) => FileDetails,
): Promise<ReceivedFile> {
  const form = new Form(raw);
  const file = await form.file;
  const details = () => detailsOf({ ...(file.name ? { name: file.name } : {}), ...form.fields });
  async function* bytes() {
    try {
      yield* file.stream as AsyncIterable<Uint8Array>;
      await form.end;
    } catch (error) {
      throw error instanceof EngineError ? error : unreadable(error);
    }
    details(); // what is wrong is told before anything was kept
  }
  return { bytes: bytes(), declaredType: file.type, details };
}

/** The first failure counts, wherever it is seen, and the rest of the request is thrown away. */
class Form {
  readonly fields: Record<string, string> = {};
  readonly file: Promise<FormFile>;
  readonly end: Promise<void>;
  readonly #raw: IncomingMessage;
  readonly #parser: BusboyInstance;
  #stream: Readable | undefined;
  #failure: Error | undefined;

  constructor(raw: IncomingMessage) {
    this.#raw = raw;
    this.#parser = openParser(raw);
    this.end = new Promise((resolve, reject) => {
      this.#parser.once("finish", () => resolve());
      this.#parser.on("error", (error: unknown) => reject(this.#fail(unreadable(error))));
      this.#parser.once("filesLimit", () => reject(this.#fail(invalid("send one file at a time"))));
      this.#parser.once("fieldsLimit", () => reject(this.#fail(invalid("it has too many fields"))));
      this.#parser.on("field", (name, value, isNameCut, isValueCut) => {
        if (isNameCut || isValueCut) reject(this.#fail(invalid("a field is too long")));
        else if (!FIELDS.includes(name)) reject(this.#fail(invalid("it has an unknown field")));
        else if (value !== "") this.fields[name] = value;
      });
      raw.once("close", () => {
        if (!raw.complete) reject(this.#fail(brokenOff(undefined)));
      });
      raw.once("end", () => {
        const look = () => {
          if (this.#stream?.readableEnded !== false) reject(this.#fail(unreadable("it stalled")));
        };
        const timer = setInterval(look, STALLED_MS).unref();
        const stop = () => clearInterval(timer);
        this.end.then(stop, stop);
      });
    });
    this.file = new Promise((resolve, reject) => {
      this.#parser.once("file", (_field, stream, name, _encoding, type) => {
        this.#stream = stream;
        stream.on("error", () => {}); // whoever reads it is told
        if (this.#failure === undefined) resolve({ stream, name, type });
        else stream.destroy(this.#failure);
      });
      this.end.then(() => reject(invalid("it has no file")), reject);
    });
    raw.pipe(this.#parser);
  }

  #fail(error: Error): Error {
    this.#failure ??= error;
    this.#raw.unpipe(this.#parser);
    this.#raw.resume();
    this.#stream?.destroy(this.#failure);
    return this.#failure;
  }
}

function openParser({ headers }: IncomingMessage): BusboyInstance {
  try {
    // Names are kept as they were given: they are only names.
    return new Busboy({ headers: headers as BusboyHeaders, preservePath: true, limits: LIMITS });
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(cause: unknown): EngineError {
  return new EngineError("bad-request", "the form could not be read", { cause });
}

function invalid(why: string): EngineError {
  return new EngineError("invalid-input", `the form is not valid: ${why}`);
}

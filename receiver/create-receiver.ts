// One function that takes a request and gives the answer: verified, deduplicated, put together from chunks, handled.
import { pathBytes } from "./file-path.ts";
import type {
  FilesChanged,
  JobFinished,
  Message,
  Ping,
  RunFinished,
  SyncFailed,
  SyncRecovered,
} from "./message.ts";
import type { ReceiverStore } from "./open-store.ts";
import { MalformedMessage, parseMessage } from "./parse-message.ts";
import { type ReceivedFiles, receiveFiles } from "./received-file.ts";
import { Refusal } from "./refusal.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { keyOf, verifyRequest } from "./verify-request.ts";

export interface ReceiverOptions {
  /** `whsec_…`, each of which is accepted. */
  readonly secrets: readonly string[];
  readonly store: ReceiverStore;
  /**
   * Called once a message, except when this process dies between the end of the handler and the remembering: then it is
   * called again with the same. So what it does must come to the same when it is done twice.
   */
  readonly onFiles?: (files: ReceivedFiles) => void | Promise<void>;
  readonly onSyncFailed?: (data: SyncFailed["data"]) => void | Promise<void>;
  readonly onSyncRecovered?: (data: SyncRecovered["data"]) => void | Promise<void>;
  readonly onJobFinished?: (data: JobFinished["data"]) => void | Promise<void>;
  readonly onRunFinished?: (data: RunFinished["data"]) => void | Promise<void>;
  readonly onPing?: (data: Ping["data"]) => void | Promise<void>;
  /** What was thrown that is no Refusal: answered with 500, and told here (by default on stderr). */
  readonly onError?: (error: unknown) => void;
  /** How far the time of a signature may lie from now. */
  readonly toleranceSeconds?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Never rejects, whatever it is given. */
export type Receive = (headers: RequestHeaders, body: Uint8Array) => Promise<Answer>;

export function createReceiver(options: ReceiverOptions): Receive {
  const { secrets, store, onError = tellError, toleranceSeconds } = options;
  if (secrets.length === 0) throw new TypeError("a receiver needs a signing secret");
  secrets.forEach(keyOf);
  const inHand = new Map<string, Promise<Answer>>();

  const handle = async (id: string, message: Message): Promise<Answer> => {
    const isRepeated = await store.seen.has(id);
    const note = isRepeated ? "seen before" : await dispatch(id, message, options);
    if (!isRepeated) await store.seen.add(id);
    // Of a repetition too: its chunks may have come again with it.
    if (message.type === "files.changed") await removeTransfers(message, store);
    return accepted(note);
  };

  /** A repetition while the first is still in hand gets the same answer, at the same time. */
  const handleOnce = (id: string, message: Message): Promise<Answer> => {
    const first = inHand.get(id);
    if (first !== undefined) return first;
    const answer = handle(id, message).finally(() => inHand.delete(id));
    inHand.set(id, answer);
    return answer;
  };

  return async (headers, body) => {
    try {
      const verification = verifyRequest({
        ...{ secrets, headers, body },
        ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
      });
      if (!verification.isValid) return refused(401, verification.reason);
      const message = parseMessage(body);
      // Chunks are known by their place, not by their id: after a 409 the same ones have to be written again.
      if (message.type !== "file.chunk") return await handleOnce(verification.id, message);
      await store.transfers.add(message.data);
      return accepted("kept");
    } catch (error) {
      if (error instanceof MalformedMessage) return refused(400, error.message);
      if (error instanceof Refusal) return refused(error.status, error.message, error.headers);
      onError(error);
      return refused(500, "it could not be handled");
    }
  };
}

/** Returns what became of it. A message that nobody wants is accepted all the same. */
async function dispatch(id: string, message: Message, options: ReceiverOptions): Promise<string> {
  switch (message.type) {
    case "files.changed":
      if (options.onFiles === undefined) return "ignored";
      await options.onFiles(
        await receiveFiles(id, message, (wanted) => options.store.transfers.find(wanted)),
      );
      return "handled";
    case "sync.failed":
      await options.onSyncFailed?.(message.data);
      return "handled";
    case "sync.recovered":
      await options.onSyncRecovered?.(message.data);
      return "handled";
    case "job.finished":
      await options.onJobFinished?.(message.data);
      return "handled";
    case "run.finished":
      await options.onRunFinished?.(message.data);
      return "handled";
    case "ping":
      await options.onPing?.(message.data);
      return "handled";
    default:
      return "ignored";
  }
}

async function removeTransfers({ data }: FilesChanged, { transfers }: ReceiverStore) {
  for (const file of data.files) {
    if (file.change === "deleted" || file.mode === "160000" || !file.chunked) continue;
    const path = pathBytes(file.path, file.path_encoding);
    await transfers.remove({ watchId: data.watch.id, path, sha256: file.sha256 });
  }
}

function accepted(note: string): Answer {
  return answerOf(200, { status: note });
}

function refused(status: number, error: string, headers: Record<string, string> = {}): Answer {
  return answerOf(status, { error }, headers);
}

export function answerOf(
  status: number,
  body: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

function tellError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`a delivery could not be handled: ${text}\n`);
}

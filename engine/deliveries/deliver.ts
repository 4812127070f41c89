// One delivery from its content to its answer.
import { chunkCount } from "./delivery-files.ts";
import { type Answer, judgeAnswer, type RetryRules, type Verdict } from "./judge-answer.ts";
import { type Contents, type Message, makeChunks, makeMessage } from "./message-body.ts";
import type { Sender, Sent } from "./send-message.ts";
import type { ClaimedDelivery, DeliveryResult, Try } from "./settle-deliveries.ts";
import { signMessage } from "./sign-message.ts";

export interface DeliverParts {
  readonly sender: Pick<Sender, "send">;
  readonly secrets: (appId: string) => Promise<readonly string[]>;
  readonly contents: Contents;
  readonly rules: RetryRules;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Some of a large file was accepted. */
  readonly onChunk: (chunk: number) => Promise<void>;
}

/** `divide`: the message is refused, and has several files. */
export type Outcome = { readonly kind: "settled" | "divide"; readonly result: DeliveryResult };

/** Of a body that is shown later: what it was about, not what was in it. */
const SHOWN_BYTES = 2048;
/** Of the tries of a large file only the last are kept. */
const TRIES_KEPT = 5;

export async function deliver(row: ClaimedDelivery, parts: DeliverParts): Promise<Outcome> {
  const tries: Try[] = [];
  let chunk = row.chunk;
  for (let returns = 0; ; returns++) {
    const stopped = await sendAll(row, chunk, parts, tries);
    const { sent, resumeFrom } = stopped;
    if (resumeFrom === undefined) return judge(row, sent, parts, tries, stopped.chunk);
    if (returns >= RETURNS_MAX) return judge(row, tooOften(sent), parts, tries, resumeFrom);
    chunk = resumeFrom;
  }
}

/** Whoever loses chunks every time would get them for ever: after so many it is tried again later, as any failure is. */
const RETURNS_MAX = 3;

function tooOften(sent: Sent): Sent {
  const message = `the app has asked for the same chunks ${RETURNS_MAX + 1} times`;
  return { ...sent, answer: { kind: "unanswered", code: "resumed-too-often", message } };
}

interface Stop {
  readonly sent: Sent;
  /** The one that was not accepted. */
  readonly chunk: number;
  readonly resumeFrom?: number | undefined;
}

/** The chunks that are left, and then the message itself, which has the place after the last of them. */
async function sendAll(
  row: ClaimedDelivery,
  from: number,
  parts: DeliverParts,
  tries: Try[],
): Promise<Stop> {
  const total = chunkCount(row.files ?? []);
  const stopped = from < total ? await sendChunks(row, from, parts, tries) : undefined;
  if (stopped !== undefined) return stopped;
  const sent = await send(row, await makeMessage(row, parts.contents), null, parts, tries);
  return { sent, chunk: total, resumeFrom: wantedChunk(sent, total) };
}

/** Undefined when all of them were accepted. */
async function sendChunks(
  row: ClaimedDelivery,
  from: number,
  parts: DeliverParts,
  tries: Try[],
): Promise<Stop | undefined> {
  for await (const message of makeChunks(row, parts.contents, from)) {
    const sent = await send(row, message, message.index, parts, tries);
    const { status = 0 } = sent.response ?? {};
    if (status < 200 || status >= 300) {
      const { index } = message;
      return { sent, chunk: index, resumeFrom: wantedChunk(sent, index) };
    }
    await parts.onChunk(message.index + 1);
  }
  return undefined;
}

/** Some that came before are missing there. Only back: one that was not sent yet is no answer. */
function wantedChunk({ response }: Sent, index: number): number | undefined {
  if (response?.status !== 409) return undefined;
  const text = response.headers["croft-resume-from"] ?? "";
  return /^\d{1,9}$/.test(text) && Number(text) < index ? Number(text) : undefined;
}

async function send(
  row: ClaimedDelivery,
  { id, body }: Message,
  chunk: number | null,
  parts: DeliverParts,
  tries: Try[],
): Promise<Sent> {
  const at = new Date();
  const secrets = await parts.secrets(row.app_id);
  if (secrets.length === 0) throw new Error("the app has no signing secret any more"); // it is being deleted
  const shown = { "webhook-id": id, "user-agent": `Croft/${parts.version}` };
  const headers = { ...shown, ...signMessage({ id, body, secrets, at }) };
  const sent = await parts.sender.send({ url: row.base_url, headers, body, signal: parts.signal });
  tries.push({
    ...{ chunk, at, duration_ms: sent.durationMs, status_code: sent.response?.status ?? null },
    request: { url: row.base_url, headers: shown, bytes: body.length, body: excerpt(row, body) },
    response: sent.response,
    error: errorOf(sent.answer) ?? null,
  });
  if (tries.length > TRIES_KEPT) tries.shift();
  return sent;
}

/** Of files their names and hashes, so that nobody reads their content in a history. */
function excerpt({ files, data }: ClaimedDelivery, body: Buffer): string {
  const shown = files === null ? body.toString("utf8") : JSON.stringify({ ...data, files });
  return shown.length > SHOWN_BYTES ? `${shown.slice(0, SHOWN_BYTES)}…` : shown;
}

function judge(
  row: ClaimedDelivery,
  { answer }: Sent,
  parts: DeliverParts,
  tries: readonly Try[],
  chunk: number,
): Outcome {
  const { id, attempt, failures, refusals, endpoint_failures } = row;
  // Its own refusals count for the address too, until another message is accepted.
  const othersSucceed = endpoint_failures < refusals;
  const files = row.files?.length ?? 0;
  const verdict = judgeAnswer(answer, { failures, refusals, othersSucceed, files }, parts.rules);
  const status = answer.kind === "answered" ? answer.status : undefined;
  const told = { id, attempt, tries, chunk, status_code: status, error: errorOf(answer) };
  const result = { ...told, ...outcomeOf(verdict, row, status) };
  return { kind: verdict.kind === "refused" && files > 1 ? "divide" : "settled", result };
}

function outcomeOf(
  verdict: Verdict,
  { refusals, files }: ClaimedDelivery,
  status: number | undefined,
) {
  const isServerError = status !== undefined && status >= 500;
  switch (verdict.kind) {
    case "delivered":
      return { state: "delivered", endpoint: "well" } as const;
    case "retry": {
      const closes = verdict.closesMs;
      return {
        ...({
          state: "pending",
          after_ms: verdict.afterMs,
          fails: true,
          closes_ms: closes,
        } as const),
        ...(closes === undefined ? { endpoint: "ill" as const } : {}),
        refusals: isServerError ? refusals + 1 : 0,
      };
    }
    case "refused":
      return { state: files === null ? "failed" : "quarantined", endpoint: "well" } as const;
    case "failed":
      return { state: "failed", fails: true, endpoint: "ill" } as const;
    case "gone":
      return { state: "pending", endpoint: "gone" } as const; // it waits until somebody says that it is back
  }
}

function errorOf(answer: Answer) {
  if (answer.kind === "unanswered") return { code: answer.code, message: answer.message };
  if (answer.status >= 200 && answer.status < 300) return undefined;
  return { code: `http-${answer.status}`, message: `the app answered ${answer.status}` };
}

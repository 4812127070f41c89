// Deliveries as Croft sends them, signed by a library that is not ours.
import { createHash, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { encodedName } from "./encoded-name.ts";

export const SECRET = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("another of so many bytes").toString("base64")}`;

export interface SentMessage {
  readonly id: string;
  readonly body: Buffer;
}

export interface FilesPlan {
  readonly watchId?: string;
  /** Rises from sync to sync. */
  readonly sync?: number;
  /** When it was made, if not in the order of the numbers. */
  readonly clock?: number;
  readonly reset?: boolean;
  readonly files: readonly object[];
}

export const WATCH_ID = "019a8000-0000-7000-8000-000000000001";
const COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const FIRST_SYNC_MS = 1_760_000_000_000;

export function messageOf(type: string, data: object): SentMessage {
  const body = { type, timestamp: "2026-11-16T12:00:00.000Z", data };
  return { id: `msg_${randomUUID()}`, body: Buffer.from(JSON.stringify(body)) };
}

export function filesChanged(plan: FilesPlan): SentMessage {
  const { watchId, sync = 1, clock = sync, reset = false, files } = plan;
  return messageOf("files.changed", {
    watch: watchOf(watchId),
    commit: COMMIT,
    previous_commit: null,
    sync: { id: syncId(clock), number: sync, resync: false, reset, messages: 1, message: 0 },
    files,
  });
}

/** `path` as bytes in latin1. */
export function keptFile(path: string, content: string | Buffer, mode = "100644") {
  const bytes = Buffer.from(content);
  const isText = bytes.equals(Buffer.from(bytes.toString("utf8")));
  return {
    ...describedFile(path, bytes, mode),
    content: bytes.toString(isText ? "utf8" : "base64"),
    encoding: isText ? "utf-8" : "base64",
  };
}

export function deletedFile(path: string) {
  return { ...encodedName(path), change: "deleted" };
}

export function chunkedFile(path: string, content: Buffer, mode = "100644") {
  return { ...describedFile(path, content, mode), chunked: true };
}

export function chunksOf(
  path: string,
  content: Buffer,
  { chunkBytes, watchId }: { readonly chunkBytes: number; readonly watchId?: string },
): SentMessage[] {
  const total = Math.ceil(content.length / chunkBytes);
  const id = `xfer_${sha256(Buffer.from(`${path} ${sha256(content)}`)).slice(0, 32)}`;
  return Array.from({ length: total }, (_, index) => {
    const offset = index * chunkBytes;
    const piece = content.subarray(offset, offset + chunkBytes);
    const transfer = { id, index, total, offset, size: piece.length, sha256: sha256(piece) };
    const file = describedFile(path, content, "100644");
    const place = { watch: watchOf(watchId), commit: COMMIT, file, transfer };
    return messageOf("file.chunk", { ...place, content: piece.toString("base64") });
  });
}

function describedFile(path: string, content: Buffer, mode: string) {
  const name = encodedName(path);
  const size = content.length;
  return { ...name, change: "created", mode, blob: COMMIT, size, sha256: sha256(content) };
}

function watchOf(id = WATCH_ID) {
  return { id, url: "https://example.com/docs.git", ref: "refs/heads/main" };
}

function syncId(number: number): string {
  const time = (FIRST_SYNC_MS + number * 10).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function signedHeaders(
  { id, body }: SentMessage,
  { secrets = [SECRET], at = new Date() }: { secrets?: readonly string[]; at?: Date } = {},
): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
    "content-type": "application/json",
  };
}

export interface Answered {
  readonly status: number;
  readonly resumeFrom: string | null;
  readonly body: string;
}

export async function send(
  url: string,
  message: SentMessage,
  headers: Record<string, string> = signedHeaders(message),
): Promise<Answered> {
  const answer = await fetch(url, { method: "POST", headers, body: message.body });
  const body = await answer.text();
  return { status: answer.status, resumeFrom: answer.headers.get("croft-resume-from"), body };
}

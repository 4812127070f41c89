// From the bytes of a body to a message with a type; what is not one is refused, what is more is ignored.
import { Fields, MalformedMessage } from "./json-fields.ts";
import type {
  ChangedFile,
  FileChunk,
  FilesChanged,
  JobFinished,
  Message,
  RunFinished,
  Transfer,
  Watch,
} from "./message.ts";

export { MalformedMessage } from "./json-fields.ts";

/** Croft sends 100; a later one may send more. */
const FILES_MAX = 10_000;
/** Names directories of receivers. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const NAME_MAX = 100;

export function parseMessage(body: Uint8Array): Message {
  const message = new Fields(parseJson(body), "the body");
  const type = message.text("type");
  const timestamp = message.text("timestamp");
  if (Number.isNaN(Date.parse(timestamp))) throw new MalformedMessage("timestamp is no time");
  const data = message.object("data");
  switch (type) {
    case "files.changed":
      return { type, timestamp, data: filesChanged(data) };
    case "file.chunk":
      return { type, timestamp, data: fileChunk(data) };
    case "sync.failed":
      return {
        type,
        timestamp,
        data: {
          ...{ watch: watchOf(data), error: errorOf(data.object("error")) },
          ...{ since: data.text("since"), retry_at: data.optionalText("retry_at") },
        },
      };
    case "sync.recovered":
      return { type, timestamp, data: { watch: watchOf(data) } };
    case "job.finished":
      return { type, timestamp, data: { job: jobOf(data.object("job")) } };
    case "run.finished":
      return { type, timestamp, data: { run: runOf(data.object("run")) } };
    case "ping":
      return { type, timestamp, data: message.record("data") };
    default:
      return { type: "unknown", name: type.slice(0, NAME_MAX) };
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new MalformedMessage("the body is no JSON in UTF-8");
  }
}

function filesChanged(data: Fields): FilesChanged["data"] {
  const sync = data.object("sync");
  return {
    watch: watchOf(data),
    commit: data.matching("commit", OBJECT_ID),
    previous_commit:
      data.optional("previous_commit") === undefined
        ? null
        : data.matching("previous_commit", OBJECT_ID),
    sync: {
      id: sync.matching("id", ID),
      number: sync.count("number"),
      resync: sync.flag("resync"),
      reset: sync.flag("reset"),
      messages: sync.count("messages"),
      message: sync.count("message"),
    },
    files: data.list("files", FILES_MAX).map(changedFile),
  };
}

function watchOf(data: Fields): Watch {
  const watch = data.object("watch");
  return { id: watch.matching("id", ID), url: watch.text("url"), ref: watch.optionalText("ref") };
}

function changedFile(file: Fields): ChangedFile {
  const change = file.oneOf("change", ["created", "updated", "deleted"]);
  const named = nameOf(file);
  if (change === "deleted") return { ...named, change };
  const kept = {
    ...named,
    ...previousNameOf(file),
    change,
    blob: file.matching("blob", OBJECT_ID),
  };
  const mode = file.oneOf("mode", ["100644", "100755", "120000", "160000"]);
  if (mode === "160000") return { ...kept, mode };
  const described = {
    ...kept,
    mode,
    size: file.count("size"),
    sha256: file.matching("sha256", SHA256),
  };
  if (file.flag("chunked")) return { ...described, chunked: true };
  return {
    ...described,
    content: file.text("content"),
    encoding: file.oneOf("encoding", ["utf-8", "base64"]),
  };
}

function jobOf(job: Fields): JobFinished["data"]["job"] {
  return {
    ...endedOf(job),
    ...{ type: job.text("type"), key: job.optionalText("key") },
    source_task_id: job.optionalText("source_task_id"),
    retry_of: job.optionalText("retry_of"),
  };
}

function runOf(run: Fields): RunFinished["data"]["run"] {
  return {
    ...endedOf(run),
    ...{ name: run.text("name"), number: run.count("number") },
    ...{ repository: run.optionalText("repository"), ref: run.optionalText("ref") },
    ...{ commit: run.optionalText("commit"), source_task_id: run.optionalText("source_task_id") },
  };
}

function endedOf(ended: Fields) {
  return {
    ...{ id: ended.text("id"), status: ended.text("status"), attempt: ended.count("attempt") },
    error: ended.optional("error") === undefined ? null : failureOf(ended.object("error")),
    ...{ created_at: ended.text("created_at"), started_at: ended.optionalText("started_at") },
    finished_at: ended.text("finished_at"),
  };
}

function failureOf(error: Fields) {
  return { ...errorOf(error), class: error.optionalText("class") };
}

function errorOf(error: Fields) {
  return { code: error.text("code"), message: error.text("message") };
}

function nameOf(file: Fields) {
  const path = file.text("path");
  if (file.optional("path_encoding") === undefined) return { path };
  return { path, path_encoding: file.oneOf("path_encoding", ["base64"]) };
}

function previousNameOf(file: Fields) {
  if (file.optional("previous_path") === undefined) return {};
  const previous_path = file.text("previous_path");
  if (file.optional("previous_path_encoding") === undefined) return { previous_path };
  return {
    previous_path,
    previous_path_encoding: file.oneOf("previous_path_encoding", ["base64"]),
  };
}

function fileChunk(data: Fields): FileChunk["data"] {
  const file = data.object("file");
  return {
    watch: watchOf(data),
    commit: data.matching("commit", OBJECT_ID),
    file: {
      ...nameOf(file),
      size: file.count("size"),
      sha256: file.matching("sha256", SHA256),
    },
    transfer: transferOf(data.object("transfer")),
    content: data.text("content"),
  };
}

function transferOf(transfer: Fields): Transfer {
  return {
    id: transfer.matching("id", ID),
    index: transfer.count("index"),
    total: transfer.count("total"),
    offset: transfer.count("offset"),
    size: transfer.count("size"),
    sha256: transfer.matching("sha256", SHA256),
  };
}

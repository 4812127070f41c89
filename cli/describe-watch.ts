// Watched repositories in words: one a line, one with all there is, and their files.
import type { Watch, WatchFile } from "@croft/contract";
import { rowsOf } from "./describe-app.ts";
import { ageOf } from "./job-table.ts";
import { plainTable } from "./plain-table.ts";
import { plainText } from "./terminal-text.ts";

const HEADINGS = ["ID", "STATE", "REF", "COMMIT", "TOLD", "APP", "URL", ""] as const;
const SHORT_COMMIT = 12;

/** With tabs: id, state, ref, commit, when it was told, app, address, and what there is to say. */
export function watchTable(
  watches: readonly Watch[],
  isTTY: boolean = process.stdout.isTTY === true,
  now = Date.now(),
): string {
  const rows = watches.map((watch) => [
    watch.id,
    stateOf(watch),
    watch.ref ?? "-",
    watch.commit === null ? "-" : isTTY ? watch.commit.slice(0, SHORT_COMMIT) : watch.commit,
    watch.told_at === null ? "-" : isTTY ? `${ageOf(watch.told_at, now)} ago` : watch.told_at,
    watch.app,
    watch.url,
    noteOf(watch),
  ]);
  return plainTable(HEADINGS, rows, { isTTY });
}

export function describeWatch(watch: Watch): string {
  return rowsOf([
    ["id", watch.id],
    ["url", watch.url],
    ["app", watch.app],
    ["ref", watch.ref ?? "the default branch"],
    ["state", stateOf(watch)],
    ["error", watch.error === null ? "" : `${watch.error.message} (${watch.error.code})`],
    ["failing since", watch.failed_since ?? ""],
    ["tried again", watch.retry_at ?? ""],
    ["commit", watch.commit ?? ""],
    ["of", watch.commit_ref ?? ""],
    ["told", watch.told_at ?? ""],
    ["checked", watch.checked_at ?? ""],
    ["undelivered", String(watch.undelivered)],
    ["credential", watch.credential ?? ""],
    ["include", watch.include.join(" ")],
    ["exclude", watch.exclude.join(" ")],
    ["polled every", watch.poll === null ? "" : `${watch.poll} s`],
    ["created", watch.created_at],
  ]);
}

/** Divided by tabs: mode, git's id of the content, size, path. A name that is no UTF-8 is told as what can be read of it. */
export function fileLines(files: readonly WatchFile[]): string {
  return files
    .map(({ mode, blob, size, path, path_encoding }) => {
      const name = path_encoding === undefined ? path : Buffer.from(path, path_encoding).toString();
      return `${[mode, blob, String(size), plainText(name)].join("\t")}\n`;
    })
    .join("");
}

function stateOf({ state, held }: Watch): string {
  return held ? `${state}, held` : state;
}

function noteOf({ error, undelivered }: Watch): string {
  if (error !== null) return error.message;
  return undelivered === 0 ? "" : `${undelivered} to be delivered`;
}

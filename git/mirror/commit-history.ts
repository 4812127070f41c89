// What the commits before a commit say of themselves: when, by whom, and which files each changed.
import { randomUUID } from "node:crypto";
import { GitError } from "../command/git-error.ts";
import { recordStartsOf, streamGit } from "../command/stream-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { TreePlace } from "./tree-entries.ts";

/** Names and subjects may be of any length in a commit: here they are cut, and an ellipsis says so. */
export interface PastCommit {
  /** When it was committed, in seconds since 1970; whatever its maker's clock said. */
  readonly committedAt: number;
  /** By the commit's own `.mailmap`. */
  readonly author: string;
  readonly email: string;
}

export interface CommitFacts extends PastCommit {
  readonly subject: string;
  /** The first is what the others were merged into. */
  readonly parents: readonly string[];
}

/** A commit, then one by one what it changed: the paths of a single one may be more than a memory takes. */
export type HistoryRecord =
  | { readonly commit: PastCommit }
  /** As git has it; none of a merge. A rename is a file that goes and one that comes. */
  | { readonly path: Buffer };

export interface HistoryOptions {
  readonly countMax: number;
  /** Seconds since 1970. */
  readonly since?: number | undefined;
}

const PAST_FIELDS = ["%ct", "%aN", "%aE"] as const;
const FIELDS = [...PAST_FIELDS, "%s", "%P"] as const;
/** Of anything that git says: more than any path that a file system takes. */
const RECORD_BYTES_MAX = 8 * 1024;
const PERSON_BYTES_MAX = 200;
const SUBJECT_BYTES_MAX = 1000;

export async function readCommitFacts(place: TreePlace, commit: CommitId): Promise<CommitFacts> {
  const args = ["log", "--max-count=1", "-z", formatOf(FIELDS), commit];
  const output = streamGit(args, { ...place, config: configOf(commit) });
  const fields: Buffer[] = [];
  for await (const records of recordStartsOf(output, RECORD_BYTES_MAX)) fields.push(...records);
  const [, , , subject, parents] = fields;
  return {
    ...pastCommit(fields),
    subject: textOf(subject, SUBJECT_BYTES_MAX),
    parents: parents?.toString("latin1").match(/[0-9a-f]{40}/g) ?? [],
  };
}

/** Newest first, in lots. Only names are compared, no contents: that is what makes it quick. */
export async function* readHistory(
  place: TreePlace,
  commit: CommitId,
  { countMax, since }: HistoryOptions,
): AsyncGenerator<HistoryRecord[]> {
  const begin = randomUUID(); // a file of such a name cannot have been made before
  const args = [
    ...["log", "-z", `--max-count=${countMax}`, formatOf([begin, ...PAST_FIELDS])],
    ...["--name-only", "--no-renames"],
    ...["--no-ext-diff", "--no-textconv", "--no-show-signature", "--root"],
    ...(since === undefined ? [] : [`--since=${new Date(since * 1000).toISOString()}`]),
    commit,
  ];
  const output = streamGit(args, { ...place, config: configOf(commit) });
  let fields: Buffer[] = [];
  let isFirst = true;
  for await (const records of recordStartsOf(output, RECORD_BYTES_MAX)) {
    const read: HistoryRecord[] = [];
    for (const record of records) {
      if (record.length === begin.length && record.toString("latin1") === begin) {
        fields = [];
        isFirst = true;
      } else if (fields.length < PAST_FIELDS.length) {
        fields.push(record);
        if (fields.length === PAST_FIELDS.length) read.push({ commit: pastCommit(fields) });
      } else if (record.length > 0) {
        read.push({ path: isFirst ? withoutNewline(record) : record });
        isFirst = false;
      }
    }
    if (read.length > 0) yield read;
  }
}

function formatOf(fields: readonly string[]): string {
  return `--format=format:${fields.join("%x00")}%x00`;
}

/** The mailmap of this commit, and no reader's. */
function configOf(commit: CommitId): (readonly [string, string])[] {
  return [
    ["mailmap.blob", `${commit}:.mailmap`],
    ["mailmap.file", "/dev/null"],
    ["log.showSignature", "false"],
    ["log.mailmap", "true"],
    ["i18n.logOutputEncoding", "UTF-8"],
  ];
}

/** Git puts one between what it says of a commit and its first file. */
function withoutNewline(record: Buffer): Buffer {
  return record[0] === 0x0a ? record.subarray(1) : record;
}

function pastCommit([time, author, email]: readonly Buffer[]): PastCommit {
  const committedAt = Number(time?.toString("latin1"));
  if (!Number.isSafeInteger(committedAt)) {
    throw new GitError("corrupt", "a commit has no time", { command: "log" });
  }
  return {
    committedAt,
    author: textOf(author, PERSON_BYTES_MAX),
    email: textOf(email, PERSON_BYTES_MAX),
  };
}

function textOf(bytes: Buffer | undefined, bytesMax: number): string {
  if (bytes === undefined || bytes.length <= bytesMax) return bytes?.toString("utf8") ?? "";
  let end = bytesMax - 1;
  while (end > bytesMax - 5 && isInsideCharacter(bytes[end])) end--;
  return `${bytes.toString("utf8", 0, end)}…`;
}

function isInsideCharacter(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

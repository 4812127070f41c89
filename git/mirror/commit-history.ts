// What the commits before a commit say of themselves: when, by whom, and which files each changed.
import { randomUUID } from "node:crypto";
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import { recordsOf, streamGit } from "../command/stream-git.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { TreePlace } from "./tree-entries.ts";

export interface CommitFacts {
  /** When it was committed, in seconds since 1970; whatever its maker's clock said. */
  readonly committedAt: number;
  /** By the commit's own `.mailmap`. */
  readonly author: string;
  readonly email: string;
  readonly subject: string;
  /** The first is what the others were merged into. */
  readonly parents: readonly string[];
}

export interface PastCommit extends CommitFacts {
  /** As git has them; none of a merge. A rename is a file that goes and one that comes. */
  readonly paths: readonly Buffer[];
}

export interface HistoryOptions {
  readonly countMax: number;
  /** Seconds since 1970. */
  readonly since?: number | undefined;
}

const FIELDS = ["%ct", "%aN", "%aE", "%s", "%P"] as const;

export async function readCommitFacts(place: TreePlace, commit: CommitId): Promise<CommitFacts> {
  const args = ["log", "--max-count=1", "-z", formatOf(""), commit];
  const { stdout } = await runGit(args, { ...place, config: configOf(commit) });
  const [, ...fields] = stdout.toString("utf8").split("\0");
  return factsOf(fields);
}

/** Newest first, in lots. Only names are compared, no contents: that is what makes it quick. */
export async function* readHistory(
  place: TreePlace,
  commit: CommitId,
  { countMax, since }: HistoryOptions,
): AsyncGenerator<PastCommit[]> {
  const begin = randomUUID(); // a file of such a name cannot have been made before
  const args = [
    ...["log", "-z", `--max-count=${countMax}`, formatOf(begin), "--name-only", "--no-renames"],
    ...["--no-ext-diff", "--no-textconv", "--no-show-signature", "--root"],
    ...(since === undefined ? [] : [`--since=${new Date(since * 1000).toISOString()}`]),
    commit,
  ];
  const config = configOf(commit);
  let fields: string[] | undefined;
  let paths: Buffer[] = [];
  for await (const records of recordsOf(streamGit(args, { ...place, config }))) {
    const commits: PastCommit[] = [];
    for (const record of records) {
      if (record.length === begin.length && record.toString("latin1") === begin) {
        if (fields !== undefined) commits.push({ ...factsOf(fields), paths });
        fields = [];
        paths = [];
      } else if (fields !== undefined && fields.length < FIELDS.length) {
        fields.push(record.toString("utf8"));
      } else if (record.length > 0) {
        paths.push(Buffer.from(paths.length === 0 ? withoutNewline(record) : record));
      }
    }
    if (commits.length > 0) yield commits;
  }
  if (fields !== undefined) yield [{ ...factsOf(fields), paths }];
}

function formatOf(begin: string): string {
  return `--format=format:${begin}%x00${FIELDS.join("%x00")}%x00`;
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

function factsOf([
  time = "",
  author = "",
  email = "",
  subject = "",
  parents = "",
]: readonly string[]): CommitFacts {
  const committedAt = Number(time);
  if (!Number.isSafeInteger(committedAt)) {
    throw new GitError("corrupt", "a commit has no time", { command: "log" });
  }
  return {
    ...{ committedAt, author, email, subject },
    parents: parents === "" ? [] : parents.split(" "),
  };
}

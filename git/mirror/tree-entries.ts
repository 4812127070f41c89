// Reads the files of a tree, and the differences of two, as git lists them: in lots, in the order of their bytes.
import { runGit } from "../command/run-git.ts";
import { recordsOf, streamGit } from "../command/stream-git.ts";
import type { CommitId } from "../remote/commit-id.ts";

export interface TreeEntry {
  /** As git has it: any bytes but NUL. */
  readonly path: Buffer;
  /** `100644`, `100755`, `120000` (link) or `160000` (submodule: its id is a commit of another repository). */
  readonly mode: string;
  readonly blob: string;
}

export interface SizedEntry extends TreeEntry {
  /** 0 for a submodule. */
  readonly size: number;
}

export interface DiffEntry extends TreeEntry {
  /** Git's letter: A, M, T, D, or R. */
  readonly status: string;
  readonly oldBlob: string;
  readonly oldMode: string;
  /** Of a rename. */
  readonly previousPath?: Buffer | undefined;
}

export interface TreePlace {
  readonly gitDir: string;
  readonly signal?: AbortSignal | undefined;
  /** Of each git that reads there. */
  readonly memoryBytesMax?: number | undefined;
}

export const SUBMODULE = "160000";
export const DIRECTORY = "040000";

export async function* readTree(place: TreePlace, commit: CommitId): AsyncGenerator<TreeEntry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  for await (const records of recordsOf(streamGit(args, place))) yield records.map(parseEntry);
}

export interface SizedTreeOptions {
  /** Each before what is in it, with mode `040000` and size 0. */
  readonly withDirectories?: boolean | undefined;
  /** Only these and what is below them, as they are written: no patterns. */
  readonly paths?: readonly string[] | undefined;
}

export async function* readSizedTree(
  place: TreePlace,
  commit: CommitId,
  { withDirectories = false, paths = [] }: SizedTreeOptions = {},
): AsyncGenerator<SizedEntry[]> {
  const flags = withDirectories ? ["-r", "-t", "-l", "-z"] : ["-r", "-l", "-z"];
  const args = ["ls-tree", ...flags, "--full-tree", commit, "--", ...paths];
  const literal = { ...place, variables: { GIT_LITERAL_PATHSPECS: "1" } };
  for await (const records of recordsOf(streamGit(args, literal))) yield records.map(parseSized);
}

/** One of them; undefined when there is none of this very name, or it is a directory. */
export async function readSizedEntry(
  place: TreePlace,
  commit: CommitId,
  path: string,
): Promise<SizedEntry | undefined> {
  const args = ["ls-tree", "-l", "-z", "--full-tree", commit, "--", path];
  const { stdout } = await runGit(args, { ...place, variables: { GIT_LITERAL_PATHSPECS: "1" } });
  if (stdout.length === 0) return undefined;
  const entry = parseSized(stdout.subarray(0, stdout.indexOf(0)));
  const isIt = entry.path.equals(Buffer.from(path)) && entry.mode !== DIRECTORY;
  return isIt ? entry : undefined;
}

/** `flags` say what is done about renames, and which kinds are listed. */
export async function* readDiff(
  place: TreePlace,
  [from, to]: readonly [CommitId, CommitId],
  flags: readonly string[],
): AsyncGenerator<DiffEntry[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", ...flags, from, to];
  let head: string | undefined;
  let previousPath: Buffer | undefined;
  for await (const records of recordsOf(streamGit(args, place))) {
    const entries: DiffEntry[] = [];
    for (const record of records) {
      if (head === undefined) {
        head = record.toString("latin1");
      } else if (isRename(head) && previousPath === undefined) {
        previousPath = Buffer.from(record);
      } else {
        entries.push({ ...parseHead(head), path: Buffer.from(record), previousPath });
        head = undefined;
        previousPath = undefined;
      }
    }
    if (entries.length > 0) yield entries;
  }
}

/** `:100644 100755 <old> <new> R096`; then the path, of a rename the old one first. */
function parseHead(head: string) {
  const [oldMode = "", mode = "", oldBlob = "", blob = "", status = ""] = head.slice(1).split(" ");
  return { oldMode, mode, oldBlob, blob, status: status.slice(0, 1) };
}

function isRename(head: string): boolean {
  return /[RC]\d*$/.test(head.slice(-5));
}

/** `100644 blob <id>` TAB path; names may have tabs too, but not before the first. */
function parseEntry(record: Buffer): TreeEntry {
  const tab = record.indexOf(9);
  const head = record.toString("latin1", 0, tab);
  return {
    path: Buffer.from(record.subarray(tab + 1)),
    mode: head.slice(0, 6),
    blob: head.split(" ", 3)[2] ?? "",
  };
}

/** With the size in a column before the tab, and a dash for a submodule. */
function parseSized(record: Buffer): SizedEntry {
  const entry = parseEntry(record);
  const column = record.toString("latin1", record.indexOf(" ", 12) + 1, record.indexOf(9));
  return { ...entry, size: Number.parseInt(column.trim().split(/ +/).at(-1) ?? "", 10) || 0 };
}

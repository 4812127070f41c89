// Which files differ between two commits: what the next template has to write.
import { countFiles } from "../checkout/measure-tree.ts";
import { GitError, type GitErrorCode } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import type { CommitId } from "../remote/commit-id.ts";

export interface ChangedFile {
  /** As git has it: any bytes but NUL. */
  readonly path: Buffer;
  /** `000000` when it is gone. */
  readonly mode: string;
  readonly blob: string;
  /** As it was; `000000` when it was not there. */
  readonly oldMode: string;
  readonly oldBlob: string;
}

const CHANGE_BYTES = 250;
const EXPECTED: readonly GitErrorCode[] = ["too-large", "corrupt", "aborted"];

export interface ChangeLimits {
  readonly changes: number;
  /** Of the new tree. */
  readonly files: number;
}

/**
 * Undefined when there are more than allowed: then a whole checkout is the better way. To compare trees takes memory for
 * each difference, and a small repository can hold a very large tree: so its files are counted meanwhile, and the
 * comparison ends when they are too many. Usually it has long ended by then, and the counting is broken off.
 */
export async function listChanges(
  gitDir: string,
  from: CommitId,
  to: CommitId,
  limits: ChangeLimits,
): Promise<ChangedFile[] | undefined> {
  const tooMany = new AbortController();
  const listed = new AbortController();
  const count = async () => {
    const files = await countFiles(gitDir, to, limits.files, listed.signal);
    if (files === undefined) tooMany.abort();
  };
  const counting = count().catch(() => {}); // broken off; or what is wrong with the tree, the comparison meets too
  try {
    return await compare(gitDir, [from, to], limits.changes, tooMany.signal);
  } finally {
    listed.abort();
    await counting;
  }
}

async function compare(
  gitDir: string,
  commits: readonly CommitId[],
  max: number,
  signal: AbortSignal,
): Promise<ChangedFile[] | undefined> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", ...commits];
  try {
    const maxOutputBytes = (max + 1) * CHANGE_BYTES;
    const { stdout } = await runGit(args, { gitDir, maxOutputBytes, signal });
    const changes = parseChanges(stdout);
    return changes.length > max ? undefined : changes;
  } catch (error) {
    // The older commit may have been forced away and collected: no template to build on.
    const isExpected = error instanceof GitError && EXPECTED.includes(error.code);
    if (isExpected) return undefined;
    throw error;
  }
}

/** How files are written may have changed then, also of those that are the same in both commits. */
export function hasAttributes(changes: readonly ChangedFile[]): boolean {
  return changes.some(({ path }) => {
    const text = path.toString("latin1");
    return text === ".gitattributes" || text.endsWith("/.gitattributes");
  });
}

/** `:100644 100755 <old> <new> M NUL path NUL`, again and again. */
function parseChanges(output: Buffer): ChangedFile[] {
  const changes: ChangedFile[] = [];
  for (let at = 0; at < output.length; ) {
    const headEnd = output.indexOf(0, at);
    const pathEnd = output.indexOf(0, headEnd + 1);
    const head = output.toString("latin1", at + 1, headEnd);
    const [oldMode = "", mode = "", oldBlob = "", blob = ""] = head.split(" ");
    changes.push({ path: output.subarray(headEnd + 1, pathEnd), mode, blob, oldMode, oldBlob });
    at = pathEnd + 1;
  }
  return changes;
}

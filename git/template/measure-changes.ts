// Counts what changes would write and what the tree is then, as a whole checkout would count it.
import { bytesOnDisk, type TreeSize } from "../checkout/measure-tree.ts";
import { runGit } from "../command/run-git.ts";
import type { ChangedFile } from "./change-list.ts";

export interface ChangeSize {
  /** The whole tree, once they are made. */
  readonly tree: TreeSize;
  /** What they write. */
  readonly written: TreeSize;
}

const GONE = "000000";
const SUBMODULE = "160000";

export async function measureChanges(
  gitDir: string,
  before: TreeSize,
  changes: readonly ChangedFile[],
): Promise<ChangeSize> {
  const old = changes.filter(({ oldMode }) => oldMode !== GONE);
  const fresh = changes.filter(({ mode }) => mode !== GONE);
  const idOf = (mode: string, blob: string) => (mode === SUBMODULE ? undefined : blob);
  const sizes = await measureObjects(gitDir, [
    ...old.map(({ oldMode, oldBlob }) => idOf(oldMode, oldBlob)),
    ...fresh.map(({ mode, blob }) => idOf(mode, blob)),
  ]);
  const sum = (some: readonly number[]) => some.reduce((all, one) => all + bytesOnDisk(one), 0);
  const lostBytes = sum(sizes.slice(0, old.length));
  const written = { files: fresh.length, bytes: sum(sizes.slice(old.length)) };
  const tree = {
    files: before.files - old.length + fresh.length,
    bytes: before.bytes - lostBytes + written.bytes,
  };
  return { tree, written };
}

/** What is no object of this repository has no size: a submodule, or one that is missing, which the checkout will say. */
async function measureObjects(
  gitDir: string,
  ids: readonly (string | undefined)[],
): Promise<number[]> {
  const known = ids.filter((id) => id !== undefined);
  if (known.length === 0) return ids.map(() => 0);
  const args = ["cat-file", "--batch-check=%(objectsize)", "--buffer"];
  const { stdout } = await runGit(args, { gitDir, input: known.map((id) => `${id}\n`).join("") });
  const lines = stdout.toString("latin1").split("\n");
  let at = 0;
  return ids.map((id) => (id === undefined ? 0 : Number.parseInt(lines[at++] ?? "", 10) || 0));
}

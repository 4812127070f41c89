// What a workspace writes into its own layer before it begins at a result.
import { INDEX_ENTRY_BYTES, type TreeSize } from "../checkout/measure-tree.ts";
import { hasAttributes } from "../template/change-list.ts";
import { measureChanges } from "../template/measure-changes.ts";
import type { Advance } from "./advance-checkout.ts";

const NOTHING: TreeSize = { files: 0, bytes: 0 };

/** The index anew, and the files that differ; all of them where they cannot be written one by one. */
export async function measureAdvance(
  gitDir: string,
  { changes }: Advance,
  tree: TreeSize,
): Promise<TreeSize> {
  if (changes === undefined || hasAttributes(changes)) return tree;
  const { written } = await measureChanges(gitDir, NOTHING, changes);
  // What is gone leaves a mark behind, and directories above come along.
  const files = written.files + changes.length;
  return { files, bytes: written.bytes + tree.files * INDEX_ENTRY_BYTES };
}

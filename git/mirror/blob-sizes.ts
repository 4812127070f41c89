// How large blobs are, many in one question.
import { GitError } from "../command/git-error.ts";
import { runGit } from "../command/run-git.ts";
import type { ObjectQuestions } from "./object-questions.ts";
import { SUBMODULE, type TreeEntry, type TreePlace } from "./tree-entries.ts";

/** In the order of the entries; a submodule's is 0. */
export async function blobSizes(
  place: TreePlace,
  entries: readonly Pick<TreeEntry, "blob" | "mode">[],
): Promise<number[]> {
  const input = entries.filter(isBlob).map(({ blob }) => `${blob}\n`);
  if (input.length === 0) return entries.map(() => 0);
  const args = ["cat-file", "--batch-check=%(objectsize)"];
  const { stdout } = await runGit(args, { ...place, input: input.join("") });
  const lines = stdout.toString("latin1").split("\n");
  let next = 0;
  return entries.map((entry) => (isBlob(entry) ? sizeOf(lines[next++] ?? "") : 0));
}

/** The same, of a git that is there already. */
export async function askSizes(
  questions: ObjectQuestions,
  entries: readonly Pick<TreeEntry, "blob" | "mode">[],
): Promise<number[]> {
  const blobs = entries.filter(isBlob).map(({ blob }) => blob);
  const answers = await questions.ask(blobs);
  let next = 0;
  return entries.map((entry) => {
    if (!isBlob(entry)) return 0;
    const answer = answers[next++] ?? "missing";
    return answer === "missing" ? sizeOf(`${entry.blob} missing`) : answer.size;
  });
}

function isBlob({ mode }: Pick<TreeEntry, "mode">): boolean {
  return mode !== SUBMODULE;
}

function sizeOf(line: string): number {
  if (/^\d+$/.test(line)) return Number(line);
  throw new GitError("corrupt", `the mirror lacks an object: ${line.slice(0, 80)}`, {
    command: "cat-file",
  });
}

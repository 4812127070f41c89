// Moves what a fetch brought to where the mirror keeps it, in one step, and forgets what the remote no longer has.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";

/** What the remote calls `refs/heads/x` is `refs/remote/heads/x` here: never checked out, never in anybody's way. */
export function ownName(ref: string): string {
  return below("refs/remote", ref);
}

/** The same below another root; `HEAD` has none of its own. */
export function below(root: string, ref: string): string {
  return `${root}/${ref.replace(/^refs\//, "")}`;
}

/** More than that are not asked for by name: an argument list has an end. */
const PATTERNS_MAX = 50;

/**
 * Only while the repository is locked. Refs that the remote no longer has go first: `a` must be gone before `a/b` can
 * be. What lay in `incoming` is left for `dropIncoming`, which needs no lock.
 */
export async function moveRefs(
  gitDir: string,
  incoming: string,
  refs: readonly string[],
  held: readonly number[],
): Promise<void> {
  const fetched = await listRefs(gitDir, incoming);
  const fresh = new Map(
    fetched.map(({ name, id }) => [name.replace(incoming, "refs/remote"), id] as const),
  );
  const existing = await listKept(gitDir, refs);
  const gone = [...existing.keys()].filter((name) => !fresh.has(name));
  const changed = [...fresh].filter(([name, id]) => existing.get(name) !== id);
  const options = { gitDir, lockDescriptors: held };
  const removals = gone.map((name) => `delete ${name}\n`);
  await updateRefs(removals, options);
  const updates = changed.map(([name, id]) => `update ${name} ${id}\n`);
  await updateRefs(updates, options);
}

/** Each is a file: git has never packed them, because only a fetch knows them. */
export async function dropIncoming(gitDir: string, incoming: string): Promise<void> {
  await rm(join(gitDir, incoming), { recursive: true, force: true });
}

/** What the mirror has of these; a trailing `*` is the only kind of pattern there is. */
async function listKept(gitDir: string, refs: readonly string[]): Promise<Map<string, string>> {
  const names = new Set(refs.map((ref) => ownName(ref).replace(/\*$/, "")));
  const folders = [...names].filter((name) => name.endsWith("/"));
  const patterns = names.size > PATTERNS_MAX ? ["refs/remote"] : [...names];
  const kept = (await listRefs(gitDir, ...patterns)).filter(
    ({ name }) => names.has(name) || folders.some((folder) => name.startsWith(folder)),
  );
  return new Map(kept.map(({ name, id }) => [name, id]));
}

async function updateRefs(lines: readonly string[], options: RunGitOptions): Promise<void> {
  if (lines.length === 0) return;
  await runGit(["update-ref", "--no-deref", "--stdin"], { ...options, input: lines.join("") });
}

async function listRefs(gitDir: string, ...patterns: readonly string[]) {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", ...patterns];
  const text = await gitText(args, { gitDir });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf(" ");
      return { id: line.slice(0, at), name: line.slice(at + 1) };
    });
}

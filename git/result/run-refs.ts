// What a run recorded: its refs are read, and given up together when the run is forgotten.
import { type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, commitId } from "../remote/commit-id.ts";
import { RUNS, runPrefix } from "./result-ref.ts";

export interface RunRef {
  readonly ref: string;
  /** What follows the run's id: `<step>` or `<step>/<item>`. */
  readonly name: string;
  readonly commit: CommitId;
}

export async function readRefsOf(run: string, options: RunGitOptions): Promise<RunRef[]> {
  const prefix = runPrefix(run);
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", prefix];
  const { stdout } = await runGit(args, options);
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const ref = line.slice(41);
      return { ref, name: ref.slice(prefix.length), commit: commitId(line.slice(0, 40)) };
    });
}

/** All that have refs there. */
export async function runsIn(options: RunGitOptions): Promise<string[]> {
  const { stdout } = await runGit(["for-each-ref", "--format=%(refname)", RUNS], options);
  const lines = stdout.toString("utf8").split("\n");
  const runs = lines.map((line) => line.slice(RUNS.length).split("/", 1)[0] ?? "");
  return [...new Set(runs.filter((run) => run !== ""))];
}

/** Only under the repository's lock. All in one transaction: a kill leaves all of them or none. */
export async function removeRefsOf(run: string, options: RunGitOptions): Promise<number> {
  const refs = await readRefsOf(run, options);
  if (refs.length === 0) return 0;
  const input = refs.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join("");
  await runGit(["update-ref", "--stdin"], { ...options, input });
  return refs.length;
}

// What became of a run, without what differs from run to run: two runs of the same pipeline must tell the same story.
import { git } from "../support/make-repository.ts";
import type { RunHost } from "./run-host.ts";

export interface RunStory {
  readonly steps: readonly object[];
  readonly artifacts: readonly object[];
  readonly bundles: readonly object[];
  readonly events: readonly object[];
  readonly jobs: readonly object[];
  readonly refs: readonly string[];
  readonly branch: readonly string[];
}

/** `home`: where its results are; `target`: where its branch was published. */
export async function tellStory(
  host: RunHost,
  id: string,
  { name, branch, home, target }: { name: string; branch: string; home: string; target: string },
): Promise<RunStory> {
  const { steps } = await host.detail(id);
  const rows = async (text: string) => (await host.pool.query(text, [id])).rows as object[];
  return {
    steps: steps.map(({ step, item, status, reason, outputs, summary, error, report, commit }) => ({
      ...{ step, item, status, reason, outputs, summary, error },
      report: { ...report, workspace: undefined },
      hasCommit: commit !== null,
    })),
    artifacts: await rows(
      `select step, item, name, bytes, encode(sha256, 'hex') as sha256 from croft.asset
       where run_id = $1 and kind = 'artifact' order by 1, 2, 3`,
    ),
    bundles: await rows(
      `select step, item, count(*) as times from croft.asset
       where run_id = $1 and kind = 'bundle' group by 1, 2 order by 1, 2`,
    ),
    // How often each was told of: a step that has ended once and began once more would be there twice.
    events: await rows(
      `select type, data ->> 'step' as step, data ->> 'item' as item, data ->> 'status' as status, count(*) as times
       from croft.event where subject = $1 group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    ),
    jobs: await rows(
      `select type, step, status, failures, count(*) as times, bool_and(attempt = losses + 1) as was_only_lost
       from croft.job where run_id = $1 group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    ),
    refs: await resultRefs(home, id),
    branch: await publishedAs(target, branch, name),
  };
}

/** Which results are kept, and with what contents; without those that Croft keeps for itself, as of attempts cut off. */
async function resultRefs(home: string, id: string): Promise<string[]> {
  const format = "--format=%(refname:lstrip=4) %(tree)";
  const told = await git(["--git-dir", home, "for-each-ref", format, `refs/croft/runs/${id}/`]);
  return told.split("\n").filter((line) => !line.startsWith("_"));
}

async function publishedAs(target: string, branch: string, name: string): Promise<string[]> {
  const ref = `refs/heads/${branch}`;
  const log = ["log", "--topo-order", "--format=%s", `main..${ref}`];
  const told = await git(["--git-dir", target, ...log]);
  const tree = await git(["--git-dir", target, "ls-tree", "-r", ref]);
  return [...told.replaceAll(name, "<name>").split("\n").sort(), ...tree.split("\n")];
}

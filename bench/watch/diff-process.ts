// A process that finds changes and nothing else: to start git costs more the more memory a process has.
import { commitId, openGit, parseRemoteUrl } from "@croft/git";
import { median } from "../table.ts";

export interface DiffPlan {
  readonly data: string;
  readonly repositories: readonly {
    readonly bare: string;
    readonly from: string;
    readonly to: string;
  }[];
}

export interface DiffTimes {
  /** In the order of the repositories. */
  readonly medianMs: readonly number[];
  readonly found: readonly (readonly string[])[];
}

const ROUNDS = 41;
/** What is measured first would pay for the compiler. */
const WARM_ROUNDS = 10;

const { data, repositories } = JSON.parse(process.argv[2] ?? "") as DiffPlan;
const git = await openGit({ data, onReport: () => {} });
const timesMs: number[][] = repositories.map(() => []);
const found: string[][] = [];
// Round by round, so that whatever else the machine does meets all sizes.
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  for (const [index, { bare, from, to }] of repositories.entries()) {
    const remote = parseRemoteUrl(bare, { allowLocal: true });
    const sides = { from: { commit: commitId(from) }, to: { commit: commitId(to) } };
    const paths: string[] = [];
    const startedAt = performance.now();
    for await (const { path } of git.contents.changes(remote, sides)) paths.push(path.toString());
    if (round >= 0) timesMs[index]?.push(performance.now() - startedAt);
    found[index] = paths;
  }
}
await git.close();
const times: DiffTimes = { medianMs: timesMs.map(median), found };
process.stdout.write(JSON.stringify(times));
process.exit(0);

// One process of the storm: many runs at once on one repository, each with a workspace of another kind.
import { commitId, openGit, parseRemoteUrl, repackMirror, USUAL_REFS } from "@croft/git";
import { git as plainGit } from "../support/make-repository.ts";

const [data = "", origin = "", checkout = "", name = "", runs = "1", rounds = "1"] =
  process.argv.slice(2);
const errors: string[] = [];
const say = (what: string, error: unknown) =>
  errors.push(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);

const git = await openGit({
  data,
  onReport: (report) => errors.push(report),
  onBackgroundError: say,
});
const remote = parseRemoteUrl(origin, { allowLocal: true });
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve)); // all begin together
let done = 0;
for (let round = 0; round < Number(rounds); round++) {
  const all = Array.from({ length: Number(runs) }, (_, number) => number);
  await Promise.all(
    all.map((number) =>
      runOne(round, number).then(
        () => done++,
        (error) => say(`run ${round}.${number}`, error),
      ),
    ),
  );
}
await git.close();
process.stdout.write(`${JSON.stringify({ done, errors })}\n`);
process.exit(0);

async function runOne(round: number, number: number): Promise<void> {
  const id = `${name}-${round}-${number}`;
  const owner = { owner: `app:${number % 3}`, runId: id, jobId: id, attempt: 1 };
  if (number % 5 === 3) await addCommit(id);
  if (number % 5 === 4) await git.mirrors.fetch(remote, USUAL_REFS);
  const workspace =
    number % 5 === 2
      ? await git.workspaces.createWorktree({ repository: checkout, name: id, branch: id, owner })
      : await git.workspaces.create({
          ...{ repository: remote, ref: number % 5 === 3 ? id : "main", name: id, owner },
          ...{ branch: `fix/${id}`, kind: number % 2 === 0 ? "overlay" : "clone" },
        });
  try {
    const { exitCode, stderr } = await workspace.run([
      "sh",
      "-c",
      "echo $0 > made && git status",
      id,
    ]);
    if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}: ${stderr}`);
    if ((await workspace.commit(`work of ${id}`)) === undefined)
      throw new Error("nothing to commit");
    if (number % 4 === 0) await workspace.result();
    if (number % 7 === 0) await repackMirror({ gitDir: git.mirrors.pathOf(remote) }, git.locks);
  } finally {
    await workspace.remove();
  }
}

/** A branch of its own on the remote, so that there is something to fetch. */
async function addCommit(id: string): Promise<void> {
  const main = commitId(await plainGit(["--git-dir", origin, "rev-parse", "main"]));
  const tree = `${main}^{tree}`;
  const made = await plainGit(["--git-dir", origin, "commit-tree", "-p", main, "-m", id, tree]);
  await plainGit(["--git-dir", origin, "update-ref", `refs/heads/${id}`, made]);
}

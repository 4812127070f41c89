// One process that makes and removes workspaces and worktrees without pause, while somebody fetches slowly.
import { LockTimeout, openGit, parseRemoteUrl } from "@croft/git";

const [data = "", url = "", checkout = "", name = ""] = process.argv.slice(2);
const CALLERS = 10;
const errors: string[] = [];
let made = 0;
let lockTimeouts = 0;
let isOver = false;

const git = await openGit({
  data,
  onReport: (report) => errors.push(report),
  onBackgroundError: (what, error) => errors.push(`${what}: ${error}`),
});
const repository = parseRemoteUrl(url, { allowHttp: [new URL(url).host] });
process.stdout.write("ready\n");
process.stdin.on("data", () => {
  isOver = true;
});
await Promise.all(Array.from({ length: CALLERS }, (_, number) => call(number)));
await git.close();
process.stdout.write(`${JSON.stringify({ made, lockTimeouts, errors })}\n`);
process.exit(0);

/** The first of them wants what is being fetched, the others go on with what is there. */
async function call(number: number): Promise<void> {
  const id = `${name}-${number}`;
  const owner = { owner: "local", runId: id };
  for (let turn = 0; !isOver; turn++) {
    try {
      const workspace =
        number % 3 === 2
          ? await git.workspaces.createWorktree({ repository: checkout, name: id, owner })
          : await git.workspaces.create({
              ...{ repository, name: id, owner, ref: number === 0 ? "big" : "main" },
              kind: number % 3 === 0 ? "overlay" : "clone",
            });
      await workspace.remove();
      made++;
    } catch (error) {
      if (error instanceof LockTimeout) lockTimeouts++;
      errors.push(`${id}.${turn}: ${error instanceof Error ? error.stack : error}`);
      return;
    }
  }
}

// The process that is killed, or whose git is: does one operation of the git package when it is told to, and says how it went.
import { readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import {
  commitId,
  openGit,
  type Platform,
  parseRemoteUrl,
  repackMirror,
  USUAL_REFS,
} from "@croft/git";
import { traceChildren, tracing } from "./trace-children.ts";

export interface DriverPlan {
  readonly operation: Operation;
  readonly data: string;
  readonly origin: string;
  readonly checkout: string;
  /** Where workspaces begin. */
  readonly commit: string;
  /** Directory of the scripts that stand in for programs. */
  readonly programs: string;
  readonly platform: Platform;
  /** Then it ends with the operation, because everything it does is written down. */
  readonly isRecorded?: boolean;
}

export type Operation =
  | "mirror-create"
  | "mirror-update"
  | "mirror-repack"
  | "template-whole"
  | "template-delta"
  | "overlay-create"
  | "overlay-remove"
  | "clone-create"
  | "clone-remove"
  | "worktree-add"
  | "worktree-remove"
  | "sweep";

/** What it says in the end; nothing when it was killed. */
export type DriverOutcome =
  | { readonly isDone: true; readonly children: number; readonly reports: readonly string[] }
  | { readonly name: string; readonly code: string | undefined; readonly message: string };

const plan: DriverPlan = JSON.parse(process.argv[2] ?? "");
const { operation, data, origin, checkout, platform } = plan;
traceChildren(plan.programs);
const reports: string[] = [];
const git = await openGit({
  ...{ data, platform },
  templateBudgetBytes: 0, // a sweep takes the templates along
  onReport: (report) => reports.push(report),
  onBackgroundError: (what, error) => reports.push(`${what}: ${error}`),
});
const remote = parseRemoteUrl(origin, { allowLocal: true });
const mirror = { gitDir: git.mirrors.pathOf(remote), remote };
const owner = { owner: "local", runId: "killed" };
const work = await prepare();
await stat("/"); // now the thread that does the waiting calls exists
const threads = readdirSync("/proc/self/task").map(Number);
say({ threads });
await new Promise((resolve) => process.stdin.once("data", resolve));
tracing.isOn = true;
try {
  const finish = await work();
  await git.close();
  tracing.isOn = false;
  if (!plan.isRecorded) await finish?.();
  await git.close();
  say({ isDone: true, children: tracing.started, reports });
} catch (error) {
  await git.close();
  const { name, code, message } = error as Error & { code?: string };
  say({ name, code, message });
}
process.exit(0);

type Finish = (() => Promise<void>) | undefined;

/** Everything up to the operation; what it returns is the operation, and what that returns takes away what it made. */
async function prepare(): Promise<() => Promise<Finish>> {
  const plainly = { name: "killed", owner };
  const overlay = { ...plainly, kind: "overlay" } as const;
  const clone = { ...plainly, kind: "clone", branch: "fix/one" } as const;
  const worktree = { ...plainly, repository: checkout, branch: "fix/killed" };
  const { workspaces } = git;
  const create = (wish: typeof overlay | typeof clone) => async () => {
    const made = await workspaces.createAt(mirror, commitId(plan.commit), wish);
    return () => made.remove();
  };
  const remove = async (making: Promise<{ remove(): Promise<void> }>) => {
    const made = await making;
    return () => made.remove().then(() => undefined);
  };
  switch (operation) {
    case "mirror-create":
    case "mirror-update":
      return () => git.mirrors.fetch(remote, USUAL_REFS).then(() => undefined);
    case "mirror-repack":
      return () => repackMirror(mirror, git.locks).then(() => undefined);
    case "sweep":
      return () => git.sweep().then(() => undefined);
    case "template-whole":
    case "template-delta":
    case "overlay-create":
      return create(overlay);
    case "clone-create":
      return create(clone);
    case "overlay-remove":
      return remove(workspaces.createAt(mirror, commitId(plan.commit), overlay));
    case "clone-remove":
      return remove(workspaces.createAt(mirror, commitId(plan.commit), clone));
    case "worktree-add":
      return async () => {
        const made = await workspaces.createWorktree(worktree);
        return () => made.remove();
      };
    case "worktree-remove":
      return remove(workspaces.createWorktree(worktree));
  }
}

function say(what: DriverOutcome | { threads: readonly number[] }): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

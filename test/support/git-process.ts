// Another process that works with the git package on the same data directory, and is told what to do and killed by a test.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../../scripts/source-files.ts";
import { LockProcess } from "./lock-process.ts";

export interface GitProcessPlan {
  readonly data: string;
  readonly origin: string;
  /**
   * The inside of an async function, as in a lock process; it also has `git` (opened), `mirror` and `owner`, and
   * `commitId`. What fails in the background is said.
   */
  readonly body: string;
  readonly wrapper?: readonly string[];
}

/** Does not outlive the test. */
export function gitProcess({ data, origin, body, wrapper = [] }: GitProcessPlan): LockProcess {
  const index = pathToFileURL(join(projectRoot, "git/index.ts")).href;
  const opened = `
    const { openGit, parseRemoteUrl, commitId, USUAL_REFS } = await import(${JSON.stringify(index)});
    const git = await openGit({
      data: ${JSON.stringify(data)},
      onReport: (report) => say("report: " + report),
      onBackgroundError: (what, error) => say("failed: " + what + ": " + error),
    });
    const remote = parseRemoteUrl(repository, { allowLocal: true });
    const mirror = { gitDir: git.mirrors.pathOf(remote), remote };
    const owner = { owner: "local", runId: "elsewhere" };
    ${body}`;
  const directory = join(data, "locks");
  return new LockProcess({ directory, repository: origin, body: opened, wrapper });
}

// Commits with given trees, recorded as results of an owner without having gone through workspaces.
import { readdirSync } from "node:fs";
import { type CommitId, type Git, type RemoteUrl, runRef } from "@croft/git";
import { importCommits, type Tree } from "./import-commits.ts";
import { git as plainGit } from "./make-repository.ts";
import { scratchGit } from "./scratch-git.ts";

export interface ResultScene {
  readonly git: Git;
  readonly data: string;
  readonly root: string;
  readonly origin: string;
  readonly remote: RemoteUrl;
  readonly holder: { readonly owner: string; readonly repository: RemoteUrl };
  /** Where the holder's results are, once there are some. */
  readonly gitDir: string;
  /** Branches of one history each, which begins at the same tree; the remote has their base, the results have the rest. */
  record(base: Tree, branches: Readonly<Record<string, readonly Tree[]>>): Promise<Recorded>;
}

export interface Recorded {
  readonly base: CommitId;
  /** The last commit of each branch, in the order given. */
  readonly commits: readonly { readonly id: string; readonly commit: CommitId }[];
}

export async function resultScene(owner = "app:1"): Promise<ResultScene> {
  const scene = await scratchGit({ files: 3, commits: 0, odd: false });
  const { git, root, remote, origin } = scene;
  const holder = { owner, repository: remote };
  const first = scene.commits[0];
  // The first record makes the repository, in which tests then put what they like.
  const ref = runRef("setup", "first");
  await git.results.integrate({ ...holder, base: first, commits: [], ref });
  const gitDir = findResults(scene.data);
  let count = 0;
  return {
    ...{ git, root, remote, origin, holder, gitDir, data: scene.data },
    record: async (base, branches) => {
      const elsewhere = `${root}/made-${count++}.git`;
      await plainGit(["init", "--quiet", "--bare", elsewhere]);
      const commits: { id: string; commit: CommitId }[] = [];
      const [root0] = await importCommits(elsewhere, "base", [base]);
      if (root0 === undefined) throw new Error("no base");
      for (const [id, trees] of Object.entries(branches)) {
        const made = await importCommits(elsewhere, id, [base, ...trees]);
        commits.push({ id, commit: made.at(-1) ?? root0 });
      }
      const name = `base-${count}`;
      await plainGit([
        "--git-dir",
        elsewhere,
        "push",
        "--quiet",
        origin,
        `base:refs/heads/${name}`,
      ]);
      await git.remotes.resolve({ repository: remote, ref: name });
      const refspecs = commits.map(
        ({ id }) => `+refs/heads/${id}:${runRef(`run-${count}`, "build", id)}`,
      );
      await plainGit([
        "--git-dir",
        gitDir,
        "fetch",
        "--quiet",
        "--no-tags",
        elsewhere,
        ...refspecs,
      ]);
      return { base: root0, commits };
    },
  };
}

function findResults(data: string): string {
  const [owner = ""] = readdirSync(`${data}/results`);
  const [repository = ""] = readdirSync(`${data}/results/${owner}`).filter((name) =>
    name.endsWith(".git"),
  );
  return `${data}/results/${owner}/${repository}`;
}

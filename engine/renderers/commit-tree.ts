// The files of a commit as renderers read them: not more than somebody can have meant, with names that files can have.
import type { SizedEntry, SizedTreeOptions } from "@croft/git";
import { JobFailure } from "../jobs/job-failure.ts";
import type { OpenedCommit } from "./open-commit.ts";

export interface CommitTreeOptions extends SizedTreeOptions {
  readonly signal: AbortSignal;
}

export interface CommitTreeLimits {
  readonly entriesMax: number;
  readonly pathBytesMax: number;
}

/** Twice the largest repositories that are known. A path is as long as Linux takes it. */
const LIMITS: CommitTreeLimits = { entriesMax: 2_000_000, pathBytesMax: 4096 };

/** A repository of 100 KB can have any number of files, because trees share trees. Fails when it goes beyond. */
export async function* commitTree(
  { git, remote, commit }: Pick<OpenedCommit, "git" | "remote" | "commit">,
  options: CommitTreeOptions,
  { entriesMax, pathBytesMax } = LIMITS,
): AsyncGenerator<SizedEntry[], void, undefined> {
  let count = 0;
  for await (const entries of git.contents.tree(remote, commit, options)) {
    count += entries.length;
    if (count > entriesMax) {
      const message = `the commit has more than ${entriesMax} files and directories`;
      throw new JobFailure("invalid", "too-many-files", message);
    }
    const odd = entries.find(({ path }) => path.length > pathBytesMax);
    if (odd !== undefined) {
      const start = odd.path.toString("utf8", 0, 100);
      const message = `a path of the commit has more than ${pathBytesMax} bytes: '${start}…'`;
      throw new JobFailure("invalid", "path-too-long", message);
    }
    yield entries;
  }
}

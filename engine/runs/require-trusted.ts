// Runs for pull requests from forks: whoever wrote the code gets neither secrets nor a say in what runs.
import type { RemoteUrl, TokenSource } from "@croft/git";
import type { Queryable } from "../database/in-transaction.ts";
import { GithubError } from "../github/github-error.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { RunRow } from "./run-rows.ts";

type Asked = Pick<RunRow, "root_id" | "withholds_secrets">;

/** Before a step gets secrets. */
export async function requireTrusted(client: Queryable, run: Asked): Promise<void> {
  if (!(await isUntrusted(client, run))) return;
  throw new JobFailure(
    "invalid",
    "secrets-withheld",
    "a pull request from a fork gets no secrets: use none in this step, or say 'forks: trusted' at the event that starts the pipeline",
  );
}

/**
 * Before something becomes a branch of the repository: there it counts as written by people who may write, and a fork's own
 * branch may bear any name, that of the default branch too.
 */
export async function requireOwnCode(client: Queryable, run: Asked): Promise<void> {
  if (!(await isUntrusted(client, run))) return;
  throw new JobFailure(
    "invalid",
    "publish-withheld",
    "what was made of a pull request from a fork is not published: say 'forks: trusted' at the event that starts the pipeline",
  );
}

/** For a fork's code only what the pipeline names is read with tokens: its submodules are named by whoever wrote it. */
export function onlyFor({ text }: RemoteUrl, tokens: TokenSource): TokenSource {
  return async (wish) => {
    if (wish.remote === undefined || wish.remote.text === text) return await tokens(wish);
    const message = `a pull request from a fork names '${wish.remote.text}': that is read without a token only`;
    throw new GithubError(message, { status: 404, code: "github-no-access" });
  };
}

/** A file of the pull request could publish, comment and read other repositories in the installation's name. */
export function refuseUntrusted(path: string): never {
  throw new JobFailure(
    "invalid",
    "untrusted-pipeline",
    `'${path.slice(0, 200)}' is a file of a pull request from a fork, and is not run as a pipeline: store it, and use it by its name`,
  );
}

/** Its code is that of a fork, and nobody said that forks are trusted. */
export async function isUntrusted(client: Queryable, { root_id, withholds_secrets }: Asked) {
  if (root_id === null) return withholds_secrets;
  const { rows } = await client.query<{ withholds_secrets: boolean }>(
    "select withholds_secrets from croft.run where id = $1",
    [root_id],
  );
  return rows[0]?.withholds_secrets !== false; // gone: nobody can tell
}

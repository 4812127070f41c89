// The credential that a pipeline names for a repository: it must be the owner's, and for that repository.
import type { RemoteUrl } from "@croft/git";
import { ExpressionFailure, evaluateText } from "@croft/pipeline";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { isId } from "../new-id.ts";
import { type OpenCredential, openCredentialById } from "../secrets/credential-store.ts";
import type { Vault } from "../secrets/vault.ts";
import { pipelineOf } from "./read-pipeline.ts";
import { beginningContext } from "./run-context.ts";
import type { RunRow } from "./run-rows.ts";

/**
 * For the repository of the run; none where whoever started it has named another. A run inside of another works on the same
 * repository, so it is for the outermost pipeline to say.
 */
export async function namedCredential(client: Queryable, run: RunRow): Promise<string | undefined> {
  const { text, file, repository, ...outermost } = await outermostOf(client, run);
  const own = pipelineOf({ text, file }).repository;
  if (own?.credential === undefined || run.kind === "worktree") return undefined;
  try {
    const context = beginningContext({ ...outermost, repository });
    return evaluateText(own.url, context) === repository ? own.credential : undefined;
  } catch (error) {
    if (error instanceof ExpressionFailure) return undefined; // another was named, or the run would not have begun
    throw error;
  }
}

async function outermostOf(client: Queryable, run: RunRow): Promise<RunRow> {
  if (run.parent_id === null) return run;
  const { rows } = await client.query<RunRow>(
    `with recursive up as (
       select id, parent_id from croft.run where id = $1
       union all
       select r.id, r.parent_id from croft.run r join up on r.id = up.parent_id
     )
     select run.* from up join croft.run using (id) where up.parent_id is null`,
    [run.id],
  );
  return rows[0] ?? run;
}

export async function openNamed(
  vault: Vault,
  owner: string,
  { id, remote }: { readonly id: string; readonly remote: RemoteUrl },
): Promise<OpenCredential> {
  try {
    if (isId(id)) return await openCredentialById(vault, owner, { id, remote });
  } catch (error) {
    if (!(error instanceof EngineError && error.code === "not-found")) throw error;
  }
  const message = `there is no credential '${id.slice(0, 100)}' for this repository: it must be an id of the owner's own (GET /api/credentials)`;
  throw new JobFailure("invalid", "unknown-credential", message);
}

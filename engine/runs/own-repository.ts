// How a run reaches its own repository: what it was shown before stays its own, and a pull request is what it was at first.
import { type CommitId, isCommitId, type RemoteAccess, type RemoteUrl } from "@croft/git";
import type { Queryable } from "../database/in-transaction.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import type { RunRow } from "./run-rows.ts";
import { accessTo, type StepScene } from "./step-scene.ts";

type Reaching = Pick<StepScene, "parts" | "signal"> & { readonly run: RunRow };

/** GitHub makes it anew a moment after the pull request or its base has changed. */
const MERGE_RETRY_MS = 5000;

/** The branch may be moved and forced away while the run goes on: it must be able to, at the commit that it began with. */
export async function accessToOwn(
  { parts, run, signal }: Reaching,
  remote: RemoteUrl,
  credential: string | undefined,
): Promise<RemoteAccess> {
  const pins = await readPins(parts.database.pool, run);
  return {
    ...(await accessTo({ parts, run, signal }, remote, credential)),
    also: run.ref === null ? [] : [run.ref],
    shown: [...(run.commit === null ? [] : [run.commit]), ...pins.values()],
  };
}

/**
 * What somebody has looked at is what runs, however often its author pushes: of a pull request all steps of a run get the
 * same commit, and of its merge the one that has the run's own commit in it.
 */
export async function pinnedBase(
  scene: Reaching & Pick<StepScene, "git">,
  ref: string,
  { repository, access }: { readonly repository: RemoteUrl; readonly access: RemoteAccess },
): Promise<{ readonly ref: string; readonly access: RemoteAccess }> {
  const { run, parts, git } = scene;
  const [, number, side] = /^refs\/pull\/(\d+)\/(head|merge)$/.exec(ref) ?? [];
  if (number === undefined) return { ref, access };
  const isOwn = run.ref === `refs/pull/${number}/head`;
  if (isOwn && side === "head" && run.commit !== null) return { ref: run.commit, access };
  const { pool } = parts.database;
  const before = (await readPins(pool, run)).get(ref);
  if (before !== undefined) return { ref: before, access };
  const commit = await git.remotes.resolve({ repository, ref, access });
  if (isOwn && side === "merge") await requireMergeOf(scene, repository, commit);
  const pinned = await writePin(pool, run, { ref, commit });
  return { ref: pinned, access: { ...access, shown: [...(access.shown ?? []), pinned] } };
}

async function requireMergeOf(
  { run, git, signal }: Reaching & Pick<StepScene, "git">,
  repository: RemoteUrl,
  commit: CommitId,
): Promise<void> {
  const { parents } = await git.contents.commitFacts(repository, commit, signal);
  if (run.commit === null || parents.includes(run.commit)) return;
  throw new JobFailure(
    "transient",
    "pull-request-moved",
    `GitHub's merge of the pull request is of another commit than ${run.commit}, which this run is for`,
    { retryAfterMs: MERGE_RETRY_MS },
  );
}

/** All that a run uses see the same. */
async function readPins(client: Queryable, run: RunRow): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ ref: string; commit: string }>(
    "select ref, commit from croft.run_ref where run_id = $1",
    [run.root_id ?? run.id],
  );
  return new Map(rows.map(({ ref, commit }) => [ref, commit]));
}

/** Whoever is first decides. */
async function writePin(
  client: Queryable,
  run: RunRow,
  { ref, commit }: { readonly ref: string; readonly commit: CommitId },
): Promise<string> {
  const { rows } = await client.query<{ commit: string }>(
    `insert into croft.run_ref (run_id, ref, commit) values ($1, $2, $3)
     on conflict (run_id, ref) do update set ref = excluded.ref returning commit`,
    [run.root_id ?? run.id, ref, commit],
  );
  return rows[0]?.commit ?? commit;
}

/** The commit that its event was about, not what its ref leads to by now. */
export function beginningOf({ expected, ref }: RunRow): string | undefined {
  return expected ?? ref ?? undefined;
}

export function explainMoved({ expected, ref }: RunRow, error: unknown): unknown {
  const isGone = expected !== null && isCommitId(expected) && isInvalidRef(error);
  if (!isGone) return error;
  const message = `${expected}, which the event is about, was forced away from ${ref} before the run began`;
  return new JobFailure("invalid", "pull-request-moved", message, { cause: error });
}

function isInvalidRef(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "invalid-ref";
}

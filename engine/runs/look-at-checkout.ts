// A checkout of this machine that a run is to be on: which commit that means now, and what its owner should know.
import { realpath } from "node:fs/promises";
import { type CommitId, GitError, type LocalState, WorktreeError } from "@croft/git";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { startRef } from "./step-scene.ts";

export interface CheckoutRequest {
  /** Any path in it, absolute. */
  readonly path: string;
  readonly ref?: string | undefined;
  /** Takes what is not committed, as a commit on HEAD. */
  readonly uncommitted?: boolean | undefined;
  /** The developer's own list of what is ignored everywhere. */
  readonly excludesFile?: string | undefined;
}

export interface FoundCheckout {
  readonly path: string;
  readonly commit: CommitId;
  readonly warnings: readonly string[];
}

const NO_MODULES = "submodules are empty directories in its steps";
const LEFT_OUT = "uncommitted changes are not included; --dirty takes them";

/** At once, not when the run gets its turn: its owner means what is there now. Only for who may use this machine's files. */
export async function lookAtCheckout(
  engine: Pick<Engine, "git" | "database" | "hostId">,
  { path, ref, uncommitted = false, excludesFile }: CheckoutRequest,
): Promise<FoundCheckout> {
  if (uncommitted && ref !== undefined) {
    throw invalid("uncommitted changes are those of HEAD: name no ref with them");
  }
  await requireOneHost(engine);
  const { local } = await engine.git();
  const question = { checkout: path, excludesFile };
  try {
    const state: LocalState = await local.resolve({ ...question, ref });
    const commit = uncommitted && state.isDirty ? await local.snapshot(question) : state.commit;
    const isLeftOut = state.isDirty && !uncommitted && ref === undefined;
    const modules = await local.readFile({ checkout: path, commit, path: ".gitmodules" });
    const warnings = [
      ...(isLeftOut ? [LEFT_OUT] : []),
      ...(modules === undefined ? [] : [NO_MODULES]),
    ];
    return { path: await realpath(path), commit, warnings };
  } catch (error) {
    if (error instanceof WorktreeError) throw invalid(error.message, error);
    if (!(error instanceof GitError) || error.code === "aborted") throw error;
    // Who asks owns the repository: what git says of it is for him.
    const isPassing = ["disk-full", "locked", "timeout"].includes(error.code);
    throw new EngineError(isPassing ? "unavailable" : "invalid-input", error.message, {
      cause: error,
    });
  }
}

/**
 * Before the run is acknowledged: it may wait long for its turn, and nothing else leads to what was not committed. What
 * could not be kept is told, not failed: the run stands, and tries again when it begins.
 */
export async function keepBeginning(
  engine: Pick<Engine, "git">,
  runId: string,
  { path, commit }: Pick<FoundCheckout, "path" | "commit">,
): Promise<string[]> {
  try {
    const { local } = await engine.git();
    await local.record({ checkout: path, ref: startRef(runId), commit, runId });
    return [];
  } catch (error) {
    return [`until the run begins, git may collect its commit: ${(error as Error).message}`];
  }
}

/** A worker elsewhere would take its steps, and has not got its files. */
async function requireOneHost({
  database,
  hostId,
}: Pick<Engine, "database" | "hostId">): Promise<void> {
  const { rows } = await database.pool.query<{ host_name: string }>(
    "select host_name from croft.worker where ended_at is null and lease_until > croft.now() and host <> $1 limit 1",
    [hostId],
  );
  const [other] = rows;
  if (other === undefined) return;
  throw invalid(
    `a checkout is on one machine, but there are workers on others too (${other.host_name}): push it, and name the remote`,
  );
}

function invalid(message: string, cause?: unknown): EngineError {
  return new EngineError("invalid-input", message, cause === undefined ? {} : { cause });
}

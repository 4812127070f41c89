// Tells GitHub how runs of its events stand, as check runs: while they go on every few seconds, at their end at once.
import { setMaxListeners } from "node:events";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Engine } from "../engine.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { Rounds } from "../rounds.ts";
import { placeChecks } from "./place-checks.ts";
import { asGithubFailure } from "./results/github-failure.ts";
import { type CheckParts, type ToldCheck, tellCheck } from "./tell-check.ts";

export interface CheckRunnerParts extends CheckParts, Pick<Engine, "listener" | "log"> {
  readonly dispatcher: Pick<Dispatcher, "id" | "onFreed">;
}

/** GitHub wants at most 80 requests a minute that make or change something. */
export const TOLD_EVERY_MS = 10_000;
const CHECKS_AT_ONCE = 10;
const LOOK_EVERY_MS = 1000;
const PAUSE_MS_MAX = 300_000;
const MESSAGE_LENGTH_MAX = 1000;

export class CheckRunner {
  readonly #parts: CheckRunnerParts;
  readonly #toldEveryMs: number;
  readonly #rounds: Rounds;
  readonly #deafen: () => void;
  readonly #closing = new AbortController();
  readonly #telling = new Set<Promise<void>>();

  private constructor(parts: CheckRunnerParts, toldEveryMs: number) {
    this.#parts = parts;
    this.#toldEveryMs = toldEveryMs;
    const { log, listener, dispatcher } = parts;
    setMaxListeners(0, this.#closing.signal); // one for each request
    this.#rounds = new Rounds({ what: "checks", log, round: () => this.#round() });
    this.#deafen = listener.hear("croft_run", () => this.#rounds.wake());
    dispatcher.onFreed(() => this.#rounds.wake());
  }

  static start(parts: CheckRunnerParts, toldEveryMs = TOLD_EVERY_MS): CheckRunner {
    const runner = new CheckRunner(parts, toldEveryMs);
    runner.#rounds.wake();
    return runner;
  }

  async close(): Promise<void> {
    this.#deafen();
    this.#closing.abort();
    await this.#rounds.close();
    await Promise.all(this.#telling);
  }

  async #round(): Promise<number> {
    const room = CHECKS_AT_ONCE - this.#telling.size;
    if (room <= 0 || this.#closing.signal.aborted) return LOOK_EVERY_MS; // the next end wakes it
    const { database, dispatcher } = this.#parts;
    const { id: claim } = dispatcher;
    await placeChecks(this.#parts);
    const { rows } = await database.pool.query<{ run_id: string }>(
      "select croft.claim_checks($1, $2) as run_id",
      [claim, room],
    );
    for (const { run_id } of rows) {
      const telling = this.#tell(run_id, claim).finally(() => {
        this.#telling.delete(telling);
        this.#rounds.wake();
      });
      this.#telling.add(telling);
    }
    return LOOK_EVERY_MS;
  }

  /** Never rejects: what could not be written down is found again when its claim is over. */
  async #tell(runId: string, claim: string): Promise<void> {
    const { signal } = this.#closing;
    try {
      const told = await tellCheck(this.#parts, { runId, claim, signal });
      await this.#settle(runId, claim, told);
    } catch (error) {
      const failure = asGithubFailure(error);
      if (!signal.aborted) {
        this.#parts.log.warn({ err: error, run: runId }, "GitHub was not told how a run stands");
      }
      await this.#settleFailure(runId, claim, failure).catch((cause: unknown) => {
        this.#parts.log.warn({ err: cause, run: runId }, "a check could not be given back");
      });
    }
  }

  /** It ends when the run has; one that has gone on meanwhile, or begun again, or was disturbed, is looked at once more. */
  async #settle(runId: string, claim: string, told: ToldCheck): Promise<void> {
    const { seq, isOver, isMade } = told;
    await this.#parts.database.pool.query(
      `update croft.github_check c set told_seq = $3, claimed_by = null, claimed_until = null,
         failures = 0, refusals = 0, error = null, is_made = $6 and place is not null,
         due_at = croft.now() + make_interval(secs => $5::float8 / 1000),
         is_open = not ($4 and exists (select from croft.run r where r.id = c.run_id and r.seq = $3)
           and not exists (select from croft.github_result g where g.run_id = c.run_id and g.kind = 'check' and g.is_open))
       where run_id = $1 and claimed_by = $2`,
      [runId, claim, seq, isOver, this.#toldEveryMs, isMade],
    );
  }

  /** The run itself is none the worse. */
  async #settleFailure(runId: string, claim: string, failure: unknown): Promise<void> {
    const { pool } = this.#parts.database;
    const known = failure instanceof JobFailure ? failure : undefined;
    const said = failure instanceof Error ? failure.message : String(failure);
    const message = said.replaceAll("\0", "").slice(0, MESSAGE_LENGTH_MAX);
    if (known?.failureClass === "invalid") {
      await pool.query("select croft.refuse_check($1, $2, $3)", [runId, claim, message]);
      return;
    }
    const isStopped = this.#closing.signal.aborted;
    await pool.query(
      `update croft.github_check c set claimed_by = null, claimed_until = null, error = $3, failures = failures + $4,
         due_at = croft.now() + make_interval(secs => greatest($5, least($6, 1000 * 2 ^ least(failures, 20)))::float8 / 1000)
       where run_id = $1 and claimed_by = $2`,
      [
        ...[runId, claim, message, isStopped ? 0 : 1],
        ...[isStopped ? 0 : (known?.retryAfterMs ?? 0), isStopped ? 0 : PAUSE_MS_MAX],
      ],
    );
  }
}

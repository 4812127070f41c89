// While an attempt writes down what it sends, it counts: and nobody has to wait for it for ever.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../../test/support/github-results-scene.ts";
import { githubRunScene } from "../../../test/support/github-run-scene.ts";
import { HOLD, heldSteps, letGo } from "../../../test/support/held-steps.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { inTransaction } from "../../database/in-transaction.ts";
import { attemptWriter } from "./attempt-writer.ts";
import { openResult } from "./result-record.ts";

const signal = new AbortController().signal;

test("nobody takes a job over between the look at it and what is written then", async () => {
  const { begin, engine } = await githubResultsScene();
  const { attempt } = await begin();
  const takeOver = () =>
    inTransaction(engine.database, async (client) => {
      await client.query("set local lock_timeout = 100");
      await client.query("update croft.job set attempt = attempt + 1 where id = $1", [attempt.id]);
    });
  await inTransaction(engine.database, async (client) => {
    await attemptWriter(attempt, signal).requireCurrent(client);
    await expect(takeOver()).rejects.toThrow("lock timeout");
  });
});

test("a run that goes on with its steps and one of them that writes wait for each other in one order", async () => {
  const { start, query, engine, owner, repository, ended } = await githubRunScene();
  const runId = await start(`check: false\nsteps: { a: { run: '${HOLD}' } }`);
  const held = await heldSteps({ query }, [runId], 1);
  const [job] = await query<{ id: string; attempt: number }>(
    "select id, attempt from croft.job where run_id = $1 and status = 'running'",
    [runId],
  );
  if (job === undefined) throw new Error("no step runs");
  const place = { of: { runId }, kind: "comment", name: "one", owner } as const;
  const opening = await inTransaction(engine.database, async (client) => {
    await client.query("select from croft.run where id = $1 for update", [runId]);
    const writing = openResult(engine.database, attemptWriter(job, signal), {
      ...{ ...place, repository: repository.fullName },
    });
    await waitUntil("it to wait", async () => {
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      return (await query(waiting)).length > 0;
    });
    await client.query("update croft.job set cancel_requested_at = null where id = $1", [job.id]);
    return { writing };
  });
  expect(await opening.writing).toMatchObject({ write: 1 });
  await letGo(held);
  await ended(runId);
});

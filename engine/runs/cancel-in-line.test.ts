// A run that has begun and is in line for its lane again is cancelled as one that runs: what tidies up still does.
import { cancelRun, decideApproval, retryRun } from "@croft/engine";
import { expect, test } from "vitest";
import { checkQueue } from "../../test/support/check-queue.ts";
import { type HeldRuns, heldRuns } from "../../test/support/held-runs.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { JobFailure } from "../jobs/job-failure.ts";

const ALL = { owner: undefined };
const DEPLOY = `concurrency: one
steps:
  provision: { run: x }
  ask: { needs: [provision], approval: true }
  deploy: { needs: [ask], run: x }
`;
const CLEANUP = "  cleanup: { needs: [deploy], if: always(), run: x }\n";

/** Approved while another has the lane. */
async function inLine({ start, begun, ended, engine }: HeldRuns, text: string) {
  const id = await start(text);
  (await begun("provision")).succeed({});
  await ended(id, "waiting");
  const other = await start("concurrency: one\nsteps:\n  hold: { run: x }\n");
  const hold = await begun("hold");
  await decideApproval(engine, ALL, id, { step: "ask", isApproved: true, by: "ada" });
  await ended(id, "queued");
  return { id, other, hold };
}

test("what runs always() does when the run has its lane again, and nothing else", async () => {
  const scene = await heldRuns();
  const { engine, begun, ended, steps, held } = scene;
  const { id, other, hold } = await inLine(scene, DEPLOY + CLEANUP);
  await cancelRun(engine, ALL, id);
  hold.succeed({});
  await ended(other, "done");
  (await begun("cleanup")).succeed({});
  await ended(id, "cancelled");
  expect(await steps(id)).toEqual({
    ...{ provision: "done", ask: "done", deploy: "cancelled", cleanup: "done" },
  });
  expect(held.map(({ name }) => name)).toEqual(["provision", "hold", "cleanup"]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test.each([
  ["with nothing to tidy up", DEPLOY, undefined],
  ["with force", DEPLOY + CLEANUP, { force: true }],
])("%s it ends at once, and leaves the line", async (_, text, how) => {
  const scene = await heldRuns();
  const { engine, ended, held, query } = scene;
  const { id, other, hold } = await inLine(scene, text);
  await cancelRun(engine, ALL, id, how);
  await ended(id, "cancelled");
  hold.succeed({});
  await ended(other, "done");
  expect(held.map(({ name }) => name)).toEqual(["provision", "hold"]);
  expect(await query("select from croft.job where status in ('queued', 'running')")).toEqual([]);
  expect(await checkQueue(engine.database.pool)).toEqual([]);
});

test("so it is with a run that is to be done again", async () => {
  const { engine, start, begun, ended, steps, held } = await heldRuns();
  const id = await start(`concurrency: one
steps:
  deploy: { run: x }
  cleanup: { needs: [deploy], if: always(), run: x }
`);
  (await begun("deploy")).fail(new JobFailure("invalid", "bad", "it ended badly"));
  (await begun("cleanup")).succeed({});
  await ended(id, "failed");
  const other = await start("concurrency: one\nsteps:\n  hold: { run: x }\n");
  const hold = await begun("hold");
  await retryRun(engine, ALL, id);
  await cancelRun(engine, ALL, id);
  hold.succeed({});
  await ended(other, "done");
  await waitUntil("it to tidy up again", () => held.length === 4);
  (await begun("cleanup")).succeed({});
  await ended(id, "cancelled");
  expect(await steps(id)).toEqual({ deploy: "cancelled", cleanup: "done" });
});

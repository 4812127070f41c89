// Lists of jobs have a bound in bytes, whatever the jobs were given.
import { expect, test } from "vitest";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { listJobs, readListedJob } from "./list-jobs.ts";
import { readJob } from "./read-jobs.ts";

const EVERYBODY = { owner: undefined };
const KIB = 1024;

/** Cannot be made smaller by the database. */
function noise(length: number): string {
  return Array.from({ length: length / 8 }, () => Math.random().toString(36).slice(2, 10)).join("");
}

test("inputs and results of more than 8 KiB are left out of a list, and there for who asks for the job", async () => {
  const { engine, submit, startWorker, query } = await jobScene();
  await startWorker();
  const inputs = [{}, { a: "small" }, { a: "x".repeat(9 * KIB) }, { a: noise(512 * KIB) }];
  const ids: string[] = [];
  for (const input of inputs) ids.unshift((await submit({ type: "noop", input })).id);
  await waitUntil(
    "their end",
    async () => (await query("select from croft.job where status = 'done'")).length === ids.length,
  );
  const { jobs } = await listJobs(engine.database, EVERYBODY, { limit: 200 });
  expect(jobs.map(({ id }) => id)).toEqual(ids);
  const both = { input: null, result: null, omitted: ["input", "result"] };
  const whole = (input: object) => ({ input, result: { echo: input }, omitted: [] });
  expect(jobs).toMatchObject([both, both, whole({ a: "small" }), whole({})]);
  for (const [index, id] of ids.toReversed().entries()) {
    expect(await readJob(engine.database, EVERYBODY, id)).toMatchObject({ input: inputs[index] });
    expect(await readListedJob(engine.database, EVERYBODY, id)).toEqual(
      jobs.find((job) => job.id === id),
    );
  }
});

test("a full page of the largest jobs is some megabytes at most, and pages follow one another", async () => {
  const { engine, submit } = await jobScene();
  const ids: string[] = [];
  for (let nth = 0; nth < 30; nth++) {
    const a = noise(nth % 2 === 0 ? 7 * KIB : 256 * KIB);
    ids.unshift((await submit({ type: "noop", input: { a } })).id);
  }
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await listJobs(engine.database, EVERYBODY, { limit: 10, cursor });
    expect(JSON.stringify(page).length).toBeLessThan(10 * 18 * KIB);
    seen.push(...page.jobs.map(({ id }) => id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(ids);
});

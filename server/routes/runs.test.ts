// The same request for a run, made again because its answer was lost.
import { createApp } from "@croft/engine";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const text =
  "name: again\nrepository: https://example.com/r.git\nsteps: { one: { run: 'true' } }\n";

async function scene() {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const tokens = {
    one: (await createApp(engine.database, "one")).token,
    other: (await createApp(engine.database, "other")).token,
  };
  const start = async (who: keyof typeof tokens, key: string, inputs: object = {}) => {
    const answer = await app.inject({
      ...{ method: "POST", url: "/api/runs", payload: { text, ...inputs } },
      headers: { authorization: `Bearer ${tokens[who]}`, "idempotency-key": key },
    });
    return { ...answer.json<{ id: string; code?: string }>(), status: answer.statusCode };
  };
  const count = async () => {
    const { rows } = await engine.database.pool.query<{ runs: string; jobs: string }>(
      "select (select count(*) from croft.run) as runs, (select count(*) from croft.job) as jobs",
    );
    return rows[0];
  };
  return { engine, start, count };
}

test("under one key it is one run, however many ask at the same moment; another app has its own", async () => {
  const { start, count } = await scene();
  const answers = await Promise.all(Array.from({ length: 8 }, () => start("one", "k")));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.every(({ status }) => status === 202)).toBe(true);
  expect((await start("other", "k")).id).not.toBe(answers[0]?.id);
  expect((await start("one", "l")).id).not.toBe(answers[0]?.id);
  expect(await count()).toEqual({ runs: "3", jobs: "3" });
});

test("another request under the key is refused, and after a day the key is free again", async () => {
  const { engine, start, count } = await scene();
  const first = await start("one", "k");
  expect(await start("one", "k", { ref: "main" })).toMatchObject({
    code: "idempotency-key-reused",
  });
  expect(await count()).toEqual({ runs: "1", jobs: "1" });
  await engine.database.pool.query("update croft.run_request set expires_at = croft.now()");
  const later = await start("one", "k", { ref: "main" });
  expect(later.status).toBe(202);
  expect(later.id).not.toBe(first.id);
});

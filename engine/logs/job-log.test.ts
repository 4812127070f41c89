// The log of a job keeps what was written: while the database is away, when answers get lost, and up to its limit.
import { expect, test } from "vitest";
import { cuttingProxy } from "../../test/support/cutting-proxy.ts";
import { holdType, jobScene } from "../../test/support/job-scene.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { DAY_MS, usualRetention } from "../../test/support/usual-retention.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { clean } from "../janitor/janitor.ts";
import { startWorker } from "../worker/start-worker.ts";

const MIB = 1024 * 1024;

async function scene(flags: Record<string, string> = {}) {
  const { engine, submit, startWorker: start, begun, held, query } = await jobScene(flags);
  const worker = await start();
  const { id } = await submit();
  await begun(1);
  const attempt = held[0]?.attempt;
  if (attempt === undefined) throw new Error("no attempt");
  const stored = async (): Promise<string> => {
    const text =
      "select coalesce(string_agg(text, '' order by seq), '') as text from croft.job_log";
    return (await query(text))[0]?.text;
  };
  const finish = async () => {
    held[0]?.succeed();
    await waitUntil(
      "the end",
      async () => (await query("select from croft.job where status = 'done'")).length > 0,
    );
    return await stored();
  };
  /** Whoever wants to write to the job's log waits until it is let go. */
  const holdJob = async () => {
    const client = await engine.database.pool.connect();
    await client.query("begin");
    await client.query("select from croft.job where id = $1 for update", [id]);
    return async () => {
      await client.query("rollback");
      client.release();
    };
  };
  return { engine, worker, id, attempt, query, stored, finish, holdJob };
}

test("what could not be written because the connection broke is written by the next", async () => {
  const { attempt, query, finish, holdJob } = await scene();
  const letGo = await holdJob();
  attempt.log("first\n");
  await waitUntil("a writer that waits", async () => {
    const broken = await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%append_log%'`,
    );
    return broken.length > 0;
  });
  await letGo();
  attempt.log("second\n");
  expect(await finish()).toBe("first\nsecond\n");
});

test("what was written while its answer got lost is there once", async () => {
  const databaseUrl = await scratchDatabase();
  const proxy = await cuttingProxy(databaseUrl);
  const { type, held } = holdType();
  const engine = await engineOn(proxy.databaseUrl, {}, [type]);
  const { pool } = (await engineOn(databaseUrl)).database; // to look at it past the proxy
  const worker = await startWorker(engine);
  const job = { type: "hold", input: {}, priority: "normal", owner: "local" } as const;
  await engine.intake.submit(job);
  await waitUntil("the attempt", () => held.length > 0);
  const texts = ["one\n", "two\n", "three\n"];
  for (const text of texts) {
    const cut = proxy.cut("append-log");
    held[0]?.attempt.log(text);
    await cut;
  }
  held[0]?.succeed();
  await waitUntil("its end", () => worker.runningCount === 0);
  await worker.close(1000);
  const { rows } = await pool.query("select seq, text from croft.job_log order by seq");
  expect(rows.map(({ text }) => text).join("")).toBe(texts.join(""));
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
});

test("a job cannot start anew between the look at its attempt and the end of the writing", async () => {
  const { engine, worker, id, query } = await scene();
  const client = await engine.database.pool.connect();
  await client.query("begin");
  await client.query(
    `select croft.append_log($1, 1, $2, null, '[{"stream":"croft","text":"x"}]')`,
    [...[id, worker.id]],
  );
  const others = query(
    "set lock_timeout = 100; update croft.job set attempt = 2; reset lock_timeout",
  );
  await expect(others).rejects.toMatchObject({ code: "55P03" });
  await client.query("rollback");
  client.release(true);
});

test("whoever waits when asked to loses nothing, up to the limit", async () => {
  const { attempt, finish } = await scene();
  const line = `${"0123456789".repeat(1000)}\n`;
  for (let nth = 0; nth < 1000; nth++) await attempt.log(line, "stdout");
  await attempt.log("THE END\n", "stderr");
  expect((await finish()) === `${line.repeat(1000)}THE END\n`).toBe(true);
});

test("whoever does not wait loses the middle, and the log says how much", async () => {
  const { attempt, finish, holdJob } = await scene();
  const letGo = await holdJob();
  const text = `${"x".repeat(MIB - 1)}\n`;
  for (let nth = 0; nth < 6; nth++) attempt.log(text, "stdout");
  await letGo();
  await attempt.log("");
  attempt.log("THE END\n", "stderr");
  const log = await finish();
  expect(log).toContain(`… ${2 * MIB} bytes are missing here`);
  expect(log).toMatch(/THE END\n$/);
  expect(log.replaceAll(/[^x]/g, "")).toHaveLength(4 * (MIB - 1));
});

test("above the limit the beginning and the end are kept, and what is missing is counted", async () => {
  const { attempt, finish, stored } = await scene({ "job.logLimit": "4096" });
  const whole = Array.from({ length: 2000 }, (_, nth) => `line ${nth} ä\n`).join("");
  for (const line of whole.split(/(?<=\n)/)) attempt.log(line, "stdout");
  attempt.log("THE END\n", "stderr");
  await waitUntil("the word that it is too long", async () =>
    (await stored()).includes("from here on only its end is kept"),
  );
  const log = await finish();
  const [, head = "", missing, tail = ""] =
    /^(.*)\n… the log has[^\n]*\n\n… (\d+) bytes are missing here[^\n]*\n(.*)$/s.exec(log) ?? [];
  expect(whole.startsWith(head)).toBe(true);
  expect(`${whole}THE END\n`.endsWith(tail)).toBe(true);
  expect([head, tail].map((text) => Buffer.byteLength(text) / 1024)).toEqual([
    expect.closeTo(3, 1),
    expect.closeTo(1, 1),
  ]);
  const kept = Buffer.byteLength(head + tail);
  expect(kept + Number(missing)).toBe(Buffer.byteLength(`${whole}THE END\n`));
});

test("a log of just the limit is whole", async () => {
  const { attempt, finish } = await scene({ "job.logLimit": "4096" });
  const whole = "ü\n".repeat(4096 / 3);
  for (const line of whole.split(/(?<=\n)/)) attempt.log(line, "stdout");
  expect(await finish()).toBe(whole);
});

test("old pieces of a job that runs stay; of one that has ended its whole log goes", async () => {
  const { engine, attempt, query, stored, finish } = await scene();
  const retention = { ...usualRetention.retention, events: DAY_MS };
  attempt.log("old\n");
  await waitUntil("the piece", async () => (await stored()) !== "");
  await query("update croft.job_log set at = now() - interval '2 days'");
  await clean(engine.database, { retention });
  expect(await stored()).toBe("old\n");
  attempt.log("young\n");
  expect(await finish()).toBe("old\nyoung\n");
  await clean(engine.database, { retention });
  expect(await stored()).toBe("old\nyoung\n");
  await query("update croft.job set finished_at = now() - interval '25 hours'");
  await clean(engine.database, { retention });
  expect(await stored()).toBe("");
});

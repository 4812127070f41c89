// Whose a workspace is, by the database: an attempt's as long as it runs, and nobody's after that.
import { type LedgerEntry, thisProcess } from "@croft/git";
import { expect, test } from "vitest";
import { jobScene } from "../../test/support/job-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { DatabaseLedger } from "./database-ledger.ts";

test("a workspace is its attempt's while that runs and its process lives", async () => {
  const { engine, submit, startWorker, begun, held, query } = await jobScene();
  const ledger = new DatabaseLedger(engine.database, engine.hostId);
  await startWorker();
  const { id } = await submit();
  await begun(1);
  const entry: LedgerEntry = {
    ...{ id: "app-1", kind: "overlay", path: "/nowhere", repository: "/nowhere" },
    ...{ owner: "local", jobId: id, attempt: 1, process: thisProcess() },
    createdAt: new Date().toISOString(),
  };
  expect(await ledger.isLive(entry)).toBe(true);
  expect(await ledger.isLive({ ...entry, attempt: 2 })).toBe(false);
  expect(await ledger.isLive({ ...entry, process: { ...entry.process, start: "0" } })).toBe(false);
  expect(await ledger.isLive({ ...entry, jobId: undefined, attempt: undefined })).toBe(true);
  held[0]?.succeed();
  const status = "select from croft.job where status = 'done'";
  await waitUntil("the end", async () => (await query(status)).length === 1);
  expect(await ledger.isLive(entry)).toBe(false);
});

test("an id is given once, and each host sees its own", async () => {
  const { engine } = await jobScene();
  const here = new DatabaseLedger(engine.database, "here");
  const there = new DatabaseLedger(engine.database, "there");
  const entry: LedgerEntry = {
    ...{ id: "app-1", kind: "clone", path: "/nowhere", repository: "/nowhere", owner: "local" },
    ...{ process: thisProcess(), createdAt: new Date().toISOString() },
  };
  expect(await here.add(entry)).toBe(true);
  expect(await here.add(entry)).toBe(true); // asked again, because the answer was lost
  expect(await here.add({ ...entry, owner: "app:other" })).toBe(false);
  expect(await there.add(entry)).toBe(false);
  expect(await there.list()).toEqual([]);
  await there.remove(entry.id);
  expect(await here.list()).toEqual([entry]);
  await here.remove(entry.id);
  expect(await here.list()).toEqual([]);
});

// Jobs of triggers: their inputs are made and checked before anything is written, and what is wrong with one is told of that one.
import { setTimeout as delay } from "node:timers/promises";
import { defineJobType } from "@croft/engine";
import { expect, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { EngineError } from "../engine-error.ts";

const opened = { action: "opened", installation: { id: 1 }, sender: { login: "a", type: "User" } };
/** Others use the same server. */
const IDLE = `select pid from pg_stat_activity where datname = current_database() and state like 'idle in t%'`;
const EFFECTS = "select trigger, problem from croft.inbox_effect order by trigger";

function checkedJob(check: () => Promise<void>) {
  const validate = async (value: unknown) => {
    await check();
    return { value };
  };
  const input = { "~standard": { vendor: "test", validate } };
  return defineJobType({ name: "checked", input, run: async () => ({}) });
}

const TRIGGERS = ["checked", "note"].map((type) => ({ on: "issues", job: { type } }));

test("a check that takes too long is a problem of its own trigger, and no transaction waits for it", async () => {
  let checks = 0;
  const waiting: unknown[] = [];
  const slow = checkedJob(async () => {
    checks += 1;
    waiting.push(...(await query(IDLE)));
    await delay(60_000, undefined, { ref: false });
  });
  const { bring, dispatch, settled, events, query } = await inboxScene({
    ...{ types: [slow], triggers: TRIGGERS },
  });
  await bring("issues", opened, "one");
  await dispatch();
  await settled();
  expect(await events()).toMatchObject([{ status: "handled", failures: 0 }]);
  expect(await query(EFFECTS)).toEqual([
    { trigger: "trigger:job:checked", problem: expect.stringContaining("takes too long") },
    { trigger: "trigger:job:note", problem: null },
  ]);
  expect(await query("select type from croft.job")).toEqual([{ type: "note" }]);
  expect({ checks, waiting }).toEqual({ checks: 1, waiting: [] });
});

test("where nothing can be checked at the moment the event is tried again, with all its work", async () => {
  let isWell = false;
  const type = checkedJob(async () => {
    if (!isWell) throw new EngineError("unavailable", "there is no process to check it in");
  });
  const { bring, dispatch, events, settled, query } = await inboxScene({
    ...{ types: [type], triggers: TRIGGERS },
  });
  await bring("issues", opened, "one");
  const dispatching = await dispatch();
  await expect.poll(async () => (await events())[0]?.failures).toBe(1);
  expect(await query("select from croft.job")).toEqual([]);
  isWell = true;
  await settled();
  expect(await events()).toMatchObject([{ status: "handled", failures: 1 }]);
  expect(await query("select type from croft.job order by type")).toEqual([
    { type: "checked" },
    { type: "note" },
  ]);
  await dispatching.close(0);
});

test.each([1, 200])(
  "an input with the whole of a large event %i times is refused, and no other",
  async (times) => {
    const whole = Array.from({ length: times }, () => `\${{ event }}`);
    const part = { title: `\${{ event.issue.title }}` };
    const { bring, dispatch, settled, query } = await inboxScene({
      flags: { "http.bodyLimit": "100000" },
      triggers: [
        { name: "whole", on: "issues", job: { type: "note", input: { whole } } },
        { name: "part", on: "issues", job: { type: "note", input: part } },
      ],
    });
    const issue = { title: "large", labels: Array.from({ length: 2000 }, () => "x".repeat(100)) };
    await bring("issues", { ...opened, issue }, "one");
    await dispatch();
    await settled();
    expect(await query(EFFECTS)).toEqual([
      { trigger: "trigger:part", problem: null },
      { trigger: "trigger:whole", problem: expect.stringContaining("http.bodyLimit") },
    ]);
    expect(await query("select input from croft.job")).toEqual([{ input: { title: "large" } }]);
  },
);

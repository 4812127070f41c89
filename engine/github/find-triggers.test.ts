// Triggers that can start nothing: each says so at the event, and keeps no other from its work.
import { readGithubEvent } from "@croft/engine";
import { expect, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { putPipeline } from "../runs/stored-pipelines.ts";
import type { TriggerInput } from "./project-triggers.ts";

const labelled = (label: string) => ({
  ...{ action: "labeled", installation: { id: 1 }, label: { name: label } },
  repository: { id: 1, full_name: "o/r", clone_url: "https://github.com/o/r.git" },
  ...{ issue: { number: 1 }, sender: { login: "ada", type: "User" } },
});

async function scene(triggers: readonly TriggerInput[]) {
  const parts = await inboxScene({ triggers });
  const { engine, bring, dispatch, settled } = parts;
  await dispatch();
  return {
    ...parts,
    store: (name: string, text: string) =>
      putPipeline(engine, { owner: "local", name, by: "test", text }),
    outcomeOf: async (label: string) => {
      const { id } = await bring("issues", labelled(label), label);
      await settled();
      return await readGithubEvent(engine.database.pool, id);
    },
  };
}

test("a stored pipeline that cannot be read any more is told at its events, and the others start", async () => {
  const { store, query, outcomeOf } = await scene([{ on: "issues", job: { type: "note" } }]);
  const steps = "steps: { a: { run: 'true' } }";
  await store("good", `on: { github: issues }\n${steps}\n`);
  await store("old", `on: { github: [issues.labeled, issues] }\n${steps}\n`);
  await store("elsewhere", `on: { github: push }\n${steps}\n`);
  await query(
    `update croft.pipeline_version set text = 'steps: { a: { runs: no } }'
     where pipeline_id in (select id from croft.pipeline where name in ('old', 'elsewhere'))`,
  );
  const { status, effects } = await outcomeOf("bug");
  expect(status).toBe("handled");
  const byName = new Map(effects.map((effect) => [effect.trigger, effect]));
  expect([...byName.keys()].sort()).toEqual(["pipeline:good", "pipeline:old", "trigger:job:note"]);
  expect(byName.get("pipeline:good")).toMatchObject({ run: expect.any(String), problem: null });
  expect(byName.get("trigger:job:note")).toMatchObject({ job: expect.any(String), problem: null });
  expect(byName.get("pipeline:old")).toMatchObject({ run: null, job: null });
  expect(byName.get("pipeline:old")?.problem).toContain("runs");
});

test("a trigger whose pipeline is not stored says so at the events that it is for", async () => {
  const { outcomeOf } = await scene([{ on: "issues", labels: "bug", pipeline: "missing" }]);
  expect((await outcomeOf("question")).effects).toEqual([]);
  expect(await outcomeOf("bug")).toMatchObject({
    status: "handled",
    effects: [{ trigger: "trigger:run:missing", problem: "there is no stored pipeline 'missing'" }],
  });
});

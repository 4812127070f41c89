// When the App is taken off, what its events had started ends.
import { putPipeline, RunAdvancer, startWorker } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { holdType } from "../../test/support/job-scene.ts";
import { startFakeGithub } from "../../test/support/start-fake-github.ts";
import { waitUntil } from "../../test/support/wait-until.ts";

const WORK = `select type, status::text from croft.job where owner = $1 and type <> 'run'
  union all select name, status::text from croft.run where owner = $1 order by 1, 2`;

async function scene() {
  const github = await startFakeGithub();
  const { type, held } = holdType();
  const parts = await inboxScene({
    ...{ types: [type], flags: { ...github.settings } },
    triggers: [
      { on: "pull_request", key: "own", job: { type: "hold" } },
      { name: "last", on: "installation.deleted", job: { type: "note" } },
    ],
  });
  const { engine, bring, query } = parts;
  await putPipeline(engine, {
    ...{ owner: "local", name: "ask", by: "test" },
    text: "name: ask\non: { github: issues }\nsteps: { ask: { approval: true } }\n",
  });
  const worker = await startWorker(engine);
  const advancer = RunAdvancer.start(engine);
  onTestFinished(async () => {
    await advancer.close();
    await worker.close(0);
  });
  await parts.dispatch();
  const of = (id: number) => ({
    ...{ installation: { id }, number: 5, sender: { login: "ada", type: "User" } },
    repository: {
      ...{
        id,
        full_name: `acme-${id}/engine`,
        clone_url: `${github.webUrl}/acme-${id}/engine.git`,
      },
    },
  });
  return {
    ...{ ...parts, held },
    work: (id: number) => query(WORK, [`installation:${id}`]),
    /** One job runs, one waits for it, and a run waits for somebody's approval. */
    begin: async (id: number) => {
      await github.addRepository(github.addInstallation({ id, account: `acme-${id}` }), "engine");
      const repo = { id };
      const pull_request = { number: 5, base: { ref: "main", repo }, head: { repo } };
      for (const n of [1, 2]) {
        const payload = { ...of(id), action: "opened", pull_request };
        await bring("pull_request", payload, `pull-${id}-${n}`);
      }
      await bring("issues", { ...of(id), action: "opened" }, `issue-${id}`);
      await waitUntil("the approval to be asked for", async () => {
        const waiting = "select from croft.run where status = 'waiting' and owner = $1";
        return (await query(waiting, [`installation:${id}`])).length === 1;
      });
    },
    remove: (id: number) => bring("installation", { ...of(id), action: "deleted" }, `end-${id}`),
  };
}

test("what its events had started ends with an installation, and what starts by its end does not", async () => {
  const { begin, remove, work, held, settled } = await scene();
  await begin(1);
  await begin(2);
  await waitUntil("both jobs", () => held.length === 2);
  const begun = [
    { type: "ask", status: "waiting" },
    { type: "hold", status: "queued" },
    { type: "hold", status: "running" },
  ];
  expect(await work(1)).toEqual(begun);
  await remove(1);
  await settled();
  const ended = [
    { type: "ask", status: "cancelled" },
    { type: "hold", status: "cancelled" },
    { type: "hold", status: "cancelled" },
    { type: "note", status: "done" },
  ];
  await waitUntil("the end of all of it", async () => {
    return JSON.stringify(await work(1)) === JSON.stringify(ended);
  });
  expect(await work(2)).toEqual(begun);
  expect(held).toHaveLength(2);
});

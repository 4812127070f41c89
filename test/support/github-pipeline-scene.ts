// Stored pipelines that events of a fake GitHub start, with all that carries them out.
import { putPipeline, RunAdvancer, showRun, startWorker } from "@croft/engine";
import { onTestFinished } from "vitest";
import type { FakePull } from "./fake-github-state.ts";
import { inboxScene } from "./inbox-scene.ts";
import { startFakeGithub } from "./start-fake-github.ts";
import { waitUntil } from "./wait-until.ts";

const ALL = { owner: undefined };

export async function githubPipelineScene({ isDispatched = true } = {}) {
  const github = await startFakeGithub();
  const installation = github.addInstallation({ id: 41 });
  const repository = await github.addRepository(installation, "engine", {
    files: { "README.md": "# engine\n", "used.yaml": "steps: { a: { run: 'true' } }\n" },
  });
  const parts = await inboxScene({ flags: { ...github.settings } });
  const { engine, bring, query } = parts;
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  if (isDispatched) await parts.dispatch();
  let count = 0;
  const runs = () =>
    query<{ id: string; status: string; code: string | null }>(
      "select id, status, error ->> 'code' as code from croft.run where parent_id is null order by created_at, id",
    );
  return {
    ...{
      github,
      repository,
      engine,
      query,
      runs,
      settled: parts.settled,
      dispatch: parts.dispatch,
    },
    store: (name: string, text: string) =>
      putPipeline(engine, { owner: "local", name, text, by: "test" }),
    push: async (payload: object) => await bring("push", payload, `delivery-${++count}`),
    send: async (pull: FakePull, action: string) =>
      await bring("pull_request", github.pullPayload(pull, action), `delivery-${++count}`),
    bring: async (event: string, payload: object) =>
      await bring(event, payload, `delivery-${++count}`),
    detail: (id: string) => showRun(engine.database, ALL, id),
    ended: async (nth: number) => {
      await waitUntil(`run ${nth} to end`, async () =>
        ["done", "failed", "cancelled"].includes((await runs())[nth]?.status ?? ""),
      );
      return await showRun(engine.database, ALL, (await runs())[nth]?.id ?? "");
    },
  };
}

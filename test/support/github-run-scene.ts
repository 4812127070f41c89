// An engine that is a GitHub App and runs pipelines on a pull request of a repository there.
import {
  type Engine,
  RunAdvancer,
  showRun,
  startDispatching,
  startRun,
  startWorker,
} from "@croft/engine";
import { onTestFinished } from "vitest";
import type { FakeCheckRun } from "./fake-github-state.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { startFakeGithub } from "./start-fake-github.ts";
import { waitUntil } from "./wait-until.ts";

const CEILING_MS = 60_000;

export async function githubRunScene() {
  const fake = await startFakeGithub();
  const installation = fake.addInstallation();
  const repository = await fake.addRepository(installation, "tools");
  const pull = await fake.openPullRequest(repository);
  const engine = await scratchEngine({ ...fake.settings });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const advancer = RunAdvancer.start(engine);
  onTestFinished(() => advancer.close());
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(0));
  const owner = `installation:${installation.id}`;
  const payload = (action = "opened") => ({
    ...fake.pullPayload(pull, action),
    event: "pull_request",
  });
  const start = (text: string, more: Partial<Parameters<typeof startRun>[1]> = {}) =>
    startRun(engine, {
      ...{ owner, text, inputs: {}, priority: "normal", startedBy: "test" },
      ...{ repository: repository.cloneUrl, ref: `refs/pull/${pull.number}/head` },
      event: JSON.parse(JSON.stringify(payload())),
      ...more,
    });
  const query = async <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows as T[];
  return {
    ...{ fake, repository, pull, engine, owner, payload, start },
    ended: (id: string) => untilEnded(engine, id),
    run: async (...wish: Parameters<typeof start>) => untilEnded(engine, await start(...wish)),
    /** The check run of a run, when GitHub was told of its end. */
    completed: (externalId: string): Promise<FakeCheckRun> =>
      waitUntil(
        `the check run ${externalId} to be completed`,
        () =>
          repository.checkRuns.find(
            (check) => check.externalId === externalId && check.status === "completed",
          ),
        CEILING_MS,
      ),
    query,
    /** What is to be told later is told now; what is not to be told at all stays so. */
    hurry: () =>
      query("update croft.github_check set due_at = croft.now() where due_at < 'infinity'"),
  };
}

async function untilEnded({ database }: Engine, id: string) {
  return await waitUntil(
    `the end of run ${id}`,
    async () => {
      const run = await showRun(database, { owner: undefined }, id);
      return run.finished_at === null ? undefined : run;
    },
    CEILING_MS,
  );
}

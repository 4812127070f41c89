// An engine that is a GitHub App, with a pull request, and attempts of jobs that write to it.
import { type Attempt, startWorker } from "@croft/engine";
import { onTestFinished } from "vitest";
import { attemptWriter } from "../../engine/github/results/attempt-writer.ts";
import type { ResultPlace } from "../../engine/github/results/result-record.ts";
import { targetOf } from "../../engine/github/results/result-target.ts";
import { type HeldAttempt, holdType } from "./job-scene.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { startFakeGithub } from "./start-fake-github.ts";
import { waitUntil } from "./wait-until.ts";

export async function githubResultsScene() {
  const fake = await startFakeGithub();
  const installation = fake.addInstallation();
  const repository = await fake.addRepository(installation, "tools");
  const pull = await fake.openPullRequest(repository);
  const { type, held } = holdType();
  const engine = await scratchEngine({ ...fake.settings }, [type]);
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const owner = `installation:${installation.id}`;
  /** An attempt of a new job, which goes on until the test ends it. */
  const begin = async (): Promise<HeldAttempt> => {
    const { id } = await engine.intake.submit({
      ...{ type: "hold", input: {}, priority: "normal", owner },
    });
    return await attemptOf(held, id, 1);
  };
  return {
    ...{ fake, installation, repository, pull, engine, owner, begin },
    next: ({ attempt }: HeldAttempt) => attemptOf(held, attempt.id, attempt.attempt + 1),
    parts: (attempt: Attempt) => ({
      ...{ database: engine.database, log: engine.log },
      target: targetOf(engine.github, owner, repository.fullName),
      writer: attemptWriter(attempt, attempt.signal),
    }),
    place: (attempt: Attempt, kind: ResultPlace["kind"], name = "one"): ResultPlace => ({
      ...{ of: { jobId: attempt.id }, kind, name, owner, repository: repository.fullName },
    }),
    /** Requests that change something, in their order. */
    writes: () =>
      fake.requests
        .map(({ line }) => line.replace(`/repos/${repository.fullName}`, ""))
        .filter((line) => !line.startsWith("GET") && !line.includes("access_tokens")),
  };
}

async function attemptOf(held: HeldAttempt[], id: string, nth: number): Promise<HeldAttempt> {
  return await waitUntil(`attempt ${nth} of ${id}`, () =>
    held.find(({ attempt }) => attempt.id === id && attempt.attempt === nth),
  );
}

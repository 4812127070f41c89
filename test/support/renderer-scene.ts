// An engine with a worker that renders what it is asked for, and gives back the files.
import { buffer } from "node:stream/consumers";
import type { Asset, Job } from "@croft/contract";
import { type Engine, openAsset, readAsset, readJob, startWorker } from "@croft/engine";
import { onTestFinished } from "vitest";
import { scratchEngine } from "./scratch-engine.ts";
import { waitUntil } from "./wait-until.ts";

export interface Rendered {
  readonly job: Job;
  /** None unless the job was done. */
  readonly files: readonly (Asset & { readonly content: Buffer })[];
}

const ALL = { owner: undefined };

export async function rendererScene(flags: Record<string, string | boolean> = {}) {
  const engine = await scratchEngine({ "git.allowLocal": true, ...flags });
  const worker = await startWorker(engine);
  onTestFinished(() => worker.close(0));
  const submit = async (type: string, input: Record<string, unknown>, owner = "local") =>
    (await engine.intake.submit({ type, input, owner, priority: "normal" })).id;
  const ended = async (id: string): Promise<Rendered> => {
    const job = await waitUntil("the job's end", async () => {
      const read = await readJob(engine.database, ALL, id);
      return read.finished_at === null ? undefined : read;
    });
    return { job, files: await Promise.all(job.result_assets.map((each) => fileOf(engine, each))) };
  };
  return {
    ...{ engine, submit, ended },
    render: async (type: string, input: Record<string, unknown>, owner?: string) =>
      await ended(await submit(type, input, owner)),
  };
}

async function fileOf(engine: Engine, id: string) {
  const asset = await readAsset(engine.database, ALL, id);
  const content = await buffer((await openAsset(engine.assets, asset)).stream());
  return { ...asset, content };
}

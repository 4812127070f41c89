// What the commands ask a server about jobs.
import type { Job, JobFilter, ListedJob } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { askPages } from "./ask-pages.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";

export async function askJob({ client }: ReachedServer, id: string): Promise<Job> {
  return requireAnswer(await client.GET("/api/jobs/{id}", { params: { path: { id } } }));
}

/** The newest. */
export async function askJobs(
  { client }: ReachedServer,
  filter: JobFilterOf,
  count: number,
): Promise<ListedJob[]> {
  return await askPages(count, async (page) => {
    const query = { ...filter, ...page };
    const { jobs, next_cursor } = requireAnswer(
      await client.GET("/api/jobs", { params: { query } }),
    );
    return { items: jobs, next_cursor };
  });
}

/** With the inputs and results that are too large for a list. Those that are gone meanwhile are left out. */
export async function askWhole(
  server: ReachedServer,
  listed: readonly ListedJob[],
): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const { omitted, ...job } of listed) {
    if (omitted.length === 0) jobs.push({ ...job, input: job.input ?? {} });
    else {
      const whole = await askJob(server, job.id).catch((error: unknown) => {
        if (!(error instanceof EngineError && error.code === "not-found")) throw error;
      });
      if (whole !== undefined) jobs.push(whole);
    }
  }
  return jobs;
}

/** What is not asked for is left out. */
export type JobFilterOf = { [Name in keyof JobFilter]?: NonNullable<JobFilter[Name]> };

// What the commands ask a server about jobs.
import type { Job, JobFilter } from "@croft/contract";
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
): Promise<Job[]> {
  return await askPages(count, async (page) => {
    const query = { ...filter, ...page };
    const { jobs, next_cursor } = requireAnswer(
      await client.GET("/api/jobs", { params: { query } }),
    );
    return { items: jobs, next_cursor };
  });
}

/** What is not asked for is left out. */
export type JobFilterOf = { [Name in keyof JobFilter]?: NonNullable<JobFilter[Name]> };

// What the commands ask a server about jobs.
import type { Job, JobFilter } from "@croft/contract";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";

/** The most that the API gives at a time. */
const PAGE_MAX = 200;

export async function askJob({ client }: ReachedServer, id: string): Promise<Job> {
  return requireAnswer(await client.GET("/api/jobs/{id}", { params: { path: { id } } }));
}

/** The newest, page by page until there are enough. */
export async function askJobs(
  { client }: ReachedServer,
  filter: JobFilterOf,
  count: number,
): Promise<Job[]> {
  const jobs: Job[] = [];
  let cursor: string | null = null;
  do {
    const query: JobFilterOf & { limit: number; cursor?: string } = {
      ...filter,
      limit: Math.min(PAGE_MAX, count - jobs.length),
      ...(cursor === null ? {} : { cursor }),
    };
    const page = requireAnswer(await client.GET("/api/jobs", { params: { query } }));
    jobs.push(...page.jobs);
    cursor = page.next_cursor;
  } while (cursor !== null && jobs.length < count);
  return jobs;
}

/** What is not asked for is left out. */
export type JobFilterOf = { [Name in keyof JobFilter]?: NonNullable<JobFilter[Name]> };

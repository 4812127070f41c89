// What can be done with a job that is there: cancel it, or submit it once more.
import { Job } from "@croft/contract";
import { cancelJob, type Engine, readJob, retryJob } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { scopeOf } from "../principal.ts";
import { JobPath } from "./jobs.ts";

export function jobActionRoutes(app: App, { database, intake }: Engine): void {
  app.post(
    "/api/jobs/:id/cancel",
    {
      config: { access: "writer" },
      schema: {
        tags: ["jobs"],
        summary: "Cancel a job: at once if it waits, soon if it runs",
        params: JobPath,
        response: {
          202: Job,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "not-found",
            "job-ended",
            "invalid-input",
          ),
        },
      },
    },
    async ({ principal, params }, reply) =>
      await reply.code(202).send(await cancelJob(database, scopeOf(principal), params.id)),
  );

  app.post(
    "/api/jobs/:id/retry",
    {
      config: { access: "writer" },
      schema: {
        tags: ["jobs"],
        summary: "Submit a job that has ended once more, as a new job",
        params: JobPath,
        response: {
          202: Job,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "not-found",
            "job-not-ended",
            "superseded",
            "deduplicated",
            "invalid-input",
          ),
        },
      },
    },
    async ({ principal, params }, reply) => {
      const scope = scopeOf(principal);
      const { id } = await retryJob(database, intake, scope, params.id);
      return await reply.code(202).send(await readJob(database, scope, id));
    },
  );
}

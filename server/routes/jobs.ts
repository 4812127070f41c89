// Jobs over HTTP: submit, look at, cancel, retry.
import { EventList, Job, JobList, JobQuery, JobSubmission } from "@croft/contract";
import { cancelJob, type Engine, listJobs, readEvents, readJob, retryJob } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf, scopeOf } from "../principal.ts";

export const JobPath = z.object({ id: z.uuid() });

const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
    .optional()
    .describe("the same request under the same key within 24 hours is the same job"),
});

export function jobRoutes(app: App, engine: Engine): void {
  const { database, intake } = engine;

  app.post(
    "/api/jobs",
    {
      config: { access: "writer" },
      schema: {
        tags: ["jobs"],
        summary: "Submit a job",
        body: JobSubmission,
        headers: IdempotencyHeaders,
        response: {
          202: Job,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "invalid-input",
            "unknown-type",
            "idempotency-key-reused",
          ),
        },
      },
    },
    async ({ principal, body, headers }, reply) => {
      const { id } = await intake.submit({
        ...body,
        owner: ownerOf(principal),
        idempotency_key: headers["idempotency-key"],
      });
      return await reply
        .code(202)
        .header("location", `/api/jobs/${id}`)
        .send(await readJob(database, scopeOf(principal), id));
    },
  );

  app.get(
    "/api/jobs",
    {
      config: { access: "reader" },
      schema: {
        tags: ["jobs"],
        summary: "List jobs, newest first",
        querystring: JobQuery,
        response: { 200: JobList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listJobs(database, scopeOf(principal), query),
  );

  app.get(
    "/api/jobs/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["jobs"],
        summary: "One job",
        params: JobPath,
        response: {
          200: Job,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await readJob(database, scopeOf(principal), params.id),
  );

  app.get(
    "/api/jobs/:id/history",
    {
      config: { access: "reader" },
      schema: {
        tags: ["jobs"],
        summary: "What happened to a job so far",
        params: JobPath,
        querystring: z.strictObject({ after: z.coerce.number().int().min(0).prefault(0) }),
        response: {
          200: EventList,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params, query }) => {
      await readJob(database, scopeOf(principal), params.id);
      return { events: await readEvents(database, params.id, query.after) };
    },
  );

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

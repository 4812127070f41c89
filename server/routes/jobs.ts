// Jobs over HTTP: submit one, look at it, list them.
import { EventList, Job, JobList, JobQuery, JobSubmission } from "@croft/contract";
import { type Engine, listJobs, readEvents, readJob } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf, scopeOf } from "../principal.ts";

export const JobPath = z.object({ id: z.uuid() });

export const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
    .optional()
    .describe("the same request under the same key within 24 hours is answered with what it made"),
});

export function jobRoutes(app: App, engine: Engine): void {
  submitRoute(app, engine);
  readRoutes(app, engine);
}

function submitRoute(app: App, { database, intake }: Engine): void {
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
}

function readRoutes(app: App, { database }: Engine): void {
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
        querystring: z.strictObject({
          after: z.coerce.number().int().min(0).max(2_147_483_647).prefault(0),
        }),
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
}

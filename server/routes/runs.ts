// Runs of pipelines over HTTP: start one, look at it, and what people do to it.
import {
  NewRun,
  RunApproval,
  RunDetail,
  RunList,
  RunQuery,
  RunRetry,
  RunWorkspaces,
  StartedRun,
} from "@croft/contract";
import {
  cancelRun,
  decideApproval,
  type Engine,
  EngineError,
  keepBeginning,
  listRuns,
  listRunWorkspaces,
  lookAtCheckout,
  readPipeline,
  retryRun,
  showRun,
  startRun,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { nameOf, ownerOf, type Principal, scopeOf } from "../principal.ts";
import { IdempotencyHeaders } from "./jobs.ts";

const RunPath = z.object({ id: z.uuid() });

export function runRoutes(app: App, engine: Engine): void {
  startRoute(app, engine);
  readRoutes(app, engine);
  actionRoutes(app, engine);
}

function startRoute(app: App, engine: Engine): void {
  app.post(
    "/api/runs",
    {
      config: { access: "writer" },
      schema: {
        tags: ["runs"],
        summary: "Run a pipeline",
        body: NewRun,
        headers: IdempotencyHeaders,
        response: {
          202: StartedRun,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "not-found",
            "invalid-input",
            "invalid-pipeline",
          ),
        },
      },
    },
    async ({ principal, body, headers, raw }, reply) => {
      const checkout = await checkoutOf(engine, principal, body);
      // Of a large checkout it takes a while: who has given up meanwhile wants no run.
      if (checkout !== undefined && raw.socket.destroyed) {
        throw new EngineError("unavailable", "nobody waits for the answer any more");
      }
      const request = await requestOf(engine.database, principal, body);
      const { "idempotency-key": key } = headers;
      const idempotency = key === undefined ? undefined : { key, request: body };
      const id = await startRun(engine, { ...request, checkout, idempotency });
      const run = await showRun(engine.database, scopeOf(principal), id);
      const isBeginning = checkout !== undefined && checkout.commit === run.commit; // else it was asked for before
      const notKept = isBeginning ? await keepBeginning(engine, id, checkout) : [];
      const answer = { ...run, warnings: [...(checkout?.warnings ?? []), ...notKept] };
      return await reply.code(202).header("location", `/api/runs/${id}`).send(answer);
    },
  );
}

/** Its commands run as the owner of the files: only for who proves, by a file, to be on this machine. */
async function checkoutOf(
  engine: Engine,
  principal: Principal | undefined,
  { checkout, ref }: NewRun,
) {
  if (checkout === undefined) return undefined;
  if (principal?.kind !== "local") {
    throw new EngineError("forbidden", "a checkout can only be named on the machine it is on");
  }
  const { path, uncommitted, excludes_file: excludesFile } = checkout;
  return await lookAtCheckout(engine, { path, ref, uncommitted, excludesFile });
}

async function requestOf(
  database: Engine["database"],
  principal: Principal | undefined,
  body: NewRun,
) {
  const { pipeline, text, file, inputs, repository, ref, priority, notify } = body;
  const { source_task_id: sourceTaskId } = body;
  const owner = ownerOf(principal);
  const asked = {
    ...{ inputs, repository, ref, priority, notify, owner, sourceTaskId },
    startedBy: nameOf(principal),
  };
  if (pipeline === undefined) return { ...asked, text: text ?? "", file };
  const stored = await readPipeline(database, { owner }, pipeline);
  const { id, version } = stored;
  return { ...asked, text: stored.text, file: pipeline, pipeline: { id, version } };
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/runs",
    {
      config: { access: "reader" },
      schema: {
        tags: ["runs"],
        summary: "List runs, newest first",
        querystring: RunQuery,
        response: { 200: RunList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listRuns(database, scopeOf(principal), query),
  );

  app.get(
    "/api/runs/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["runs"],
        summary: "One run with its steps",
        params: RunPath,
        response: {
          200: RunDetail,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await showRun(database, scopeOf(principal), params.id),
  );

  app.get(
    "/api/runs/:id/workspaces",
    {
      config: { access: "reader" },
      schema: {
        ...{ tags: ["runs"], summary: "The workspaces of its steps, and what became of them" },
        params: RunPath,
        response: {
          200: RunWorkspaces,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) =>
      await listRunWorkspaces(database, scopeOf(principal), params.id),
  );
}

function actionRoutes(app: App, engine: Engine): void {
  const response = {
    200: RunDetail,
    ...describeProblems(
      "unauthenticated",
      "forbidden",
      "not-found",
      "job-ended",
      "job-not-ended",
      "superseded",
      "results-gone",
      "invalid-input",
    ),
  };
  const shown = (principal: Principal | undefined, id: string) =>
    showRun(engine.database, scopeOf(principal), id);

  app.post(
    "/api/runs/:id/cancel",
    {
      config: { access: "writer" },
      schema: { tags: ["runs"], summary: "Cancel a run", params: RunPath, response },
    },
    async ({ principal, params }) => {
      await cancelRun(engine, scopeOf(principal), params.id);
      return await shown(principal, params.id);
    },
  );

  app.post(
    "/api/runs/:id/retry",
    {
      config: { access: "writer" },
      schema: {
        ...{ tags: ["runs"], summary: "Go on with a run that has ended; what succeeded is kept" },
        ...{ params: RunPath, body: RunRetry, response },
      },
    },
    async ({ principal, params, body }) => {
      await retryRun(engine, scopeOf(principal), params.id, body.from);
      return await shown(principal, params.id);
    },
  );

  app.post(
    "/api/runs/:id/approve",
    {
      config: { access: "writer" },
      schema: {
        ...{ tags: ["runs"], summary: "Answer a step that asks for approval" },
        ...{ params: RunPath, body: RunApproval, response },
      },
    },
    async ({ principal, params, body: { step, approve } }) => {
      const decision = { step, isApproved: approve, by: nameOf(principal) };
      await decideApproval(engine, scopeOf(principal), params.id, decision);
      return await shown(principal, params.id);
    },
  );
}

// Stored pipelines over HTTP.
import { Name, NewPipeline, PipelineList, StoredPipeline } from "@croft/contract";
import {
  type Engine,
  listPipelines,
  putPipeline,
  readPipeline,
  removePipeline,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { nameOf, ownerOf, scopeOf } from "../principal.ts";

const PipelinePath = z.object({ name: Name });
const VersionQuery = z.strictObject({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe("the newest without one"),
});

export function pipelineRoutes(app: App, engine: Engine): void {
  const { database } = engine;
  app.put(
    "/api/pipelines/:name",
    {
      config: { access: "writer" },
      schema: {
        ...{ tags: ["pipelines"], summary: "Store a pipeline; another text is another version" },
        ...{ params: PipelinePath, body: NewPipeline },
        response: {
          200: StoredPipeline,
          ...describeProblems("unauthenticated", "forbidden", "invalid-input", "invalid-pipeline"),
        },
      },
    },
    async ({ principal, params: { name }, body: { text } }) =>
      await putPipeline(engine, { owner: ownerOf(principal), name, text, by: nameOf(principal) }),
  );

  app.get(
    "/api/pipelines",
    {
      config: { access: "reader" },
      schema: {
        ...{ tags: ["pipelines"], summary: "List stored pipelines" },
        response: { 200: PipelineList, ...describeProblems("unauthenticated") },
      },
    },
    async ({ principal }) => await listPipelines(database, scopeOf(principal)),
  );

  app.get(
    "/api/pipelines/:name",
    {
      config: { access: "reader" },
      schema: {
        ...{ tags: ["pipelines"], summary: "One stored pipeline" },
        ...{ params: PipelinePath, querystring: VersionQuery },
        response: {
          200: StoredPipeline,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params, query }) =>
      await readPipeline(database, scopeOf(principal), params.name, query.version),
  );

  app.delete(
    "/api/pipelines/:name",
    {
      config: { access: "writer" },
      schema: {
        ...{ tags: ["pipelines"], summary: "Remove a stored pipeline; its runs stay" },
        params: PipelinePath,
        response: {
          204: z.null().describe("removed"),
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }, reply) => {
      await removePipeline(database, ownerOf(principal), params.name);
      return await reply.code(204).send(null);
    },
  );
}

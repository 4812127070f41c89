// Stored pipelines over HTTP.
import {
  NewPipeline,
  OwnerQuery,
  PipelineList,
  PipelineName,
  PipelineQuery,
  StoredPipeline,
} from "@croft/contract";
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

const PipelinePath = z.object({ name: PipelineName });

export function pipelineRoutes(app: App, engine: Engine): void {
  writeRoutes(app, engine);
  readRoutes(app, engine);
}

function writeRoutes(app: App, engine: Engine): void {
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

  app.delete(
    "/api/pipelines/:name",
    {
      config: { access: "writer" },
      schema: {
        ...{ tags: ["pipelines"], summary: "Remove a stored pipeline; its runs stay" },
        ...{ params: PipelinePath, querystring: OwnerQuery },
        response: {
          204: z.null().describe("removed"),
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params: { name }, query }, reply) => {
      const owner = query.owner ?? ownerOf(principal);
      await removePipeline(engine.database, scopeOf(principal), { owner, name });
      return await reply.code(204).send(null);
    },
  );
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/pipelines",
    {
      config: { access: "reader" },
      schema: {
        ...{ tags: ["pipelines"], summary: "List stored pipelines", querystring: OwnerQuery },
        response: { 200: PipelineList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listPipelines(database, scopeOf(principal), query),
  );

  app.get(
    "/api/pipelines/:name",
    {
      config: { access: "reader" },
      schema: {
        ...{
          tags: ["pipelines"],
          summary: "One stored pipeline; your own, unless `owner` is given",
        },
        ...{ params: PipelinePath, querystring: PipelineQuery },
        response: {
          200: StoredPipeline,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params, query }) =>
      await readPipeline(database, scopeOf(principal), params.name, query),
  );
}

// Watched repositories over HTTP: what an app wants to hear of. `:id` is the watch's.
import { NewWatch, Watch, WatchChange, WatchList, WatchQuery } from "@croft/contract";
import {
  changeWatch,
  createWatch,
  deleteWatch,
  type Engine,
  EngineError,
  listWatches,
  readWatch,
  resyncWatch,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { type Principal, scopeOf } from "../principal.ts";

const WatchPath = z.object({ id: z.uuid() });
const ONE = ["unauthenticated", "not-found", "invalid-input"] as const;

export function watchRoutes(app: App, engine: Engine): void {
  readRoutes(app, engine);
  createRoute(app, engine);
  changeRoutes(app, engine);
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/repositories",
    {
      config: { access: "reader" },
      schema: {
        tags: ["repositories"],
        summary: "List watched repositories, newest first",
        querystring: WatchQuery,
        response: { 200: WatchList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listWatches(database, scopeOf(principal), query),
  );

  app.get(
    "/api/repositories/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["repositories"],
        summary: "One watched repository",
        params: WatchPath,
        response: { 200: Watch, ...describeProblems(...ONE) },
      },
    },
    async ({ principal, params }) => await readWatch(database.pool, scopeOf(principal), params.id),
  );
}

function createRoute(app: App, engine: Engine): void {
  app.post(
    "/api/repositories",
    {
      config: { access: "writer" },
      schema: {
        tags: ["repositories"],
        summary: "Watch a repository",
        description:
          "Address, ref and credential are tried at once. The same repository and ref again is the same watch: 200.",
        body: NewWatch,
        response: {
          200: Watch.describe("it was watched already"),
          201: Watch,
          ...describeProblems(...ONE, "forbidden", "unsafe-address", "unavailable"),
        },
      },
    },
    async ({ principal, body }, reply) => {
      const { app: named, ...request } = body;
      const { watch, isNew } = await createWatch(engine, appOf(principal, named), request);
      const location = `/api/repositories/${watch.id}`;
      return await reply
        .code(isNew ? 201 : 200)
        .header("location", location)
        .send(watch);
    },
  );
}

/** An app watches for itself; everybody else says for whom. */
function appOf(principal: Principal | undefined, named: string | undefined): string {
  const own = principal?.kind === "app" ? principal.app.id : undefined;
  if (own !== undefined && (named === undefined || named === own)) return own;
  if (own !== undefined) throw new EngineError("not-found", "there is no such app");
  if (named !== undefined) return named;
  throw new EngineError("invalid-input", "not valid: app: say for which app");
}

function changeRoutes(app: App, engine: Engine): void {
  app.patch(
    "/api/repositories/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["repositories"],
        summary: "Change ref, filters, credential or pace of a watch",
        description:
          "Its app is then told the difference between what it was told and what it should have, deletions included.",
        params: WatchPath,
        body: WatchChange,
        response: {
          200: Watch,
          ...describeProblems(...ONE, "forbidden", "name-taken", "unsafe-address", "unavailable"),
        },
      },
    },
    async ({ principal, params, body }) =>
      await changeWatch(engine, scopeOf(principal), params.id, body),
  );

  app.post(
    "/api/repositories/:id/resync",
    {
      config: { access: "writer" },
      schema: {
        tags: ["repositories"],
        summary: "Send every file again",
        params: WatchPath,
        response: { 202: Watch, ...describeProblems(...ONE, "forbidden") },
      },
    },
    async ({ principal, params }, reply) =>
      await reply.code(202).send(await resyncWatch(engine, scopeOf(principal), params.id)),
  );

  app.delete(
    "/api/repositories/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["repositories"],
        summary: "Watch no longer; what was still to be sent is not sent",
        params: WatchPath,
        response: {
          204: z.null().describe("removed"),
          ...describeProblems(...ONE, "forbidden"),
        },
      },
    },
    async ({ principal, params }, reply) => {
      await deleteWatch(engine, scopeOf(principal), params.id);
      return await reply.code(204).send(null);
    },
  );
}

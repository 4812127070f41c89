// Bulk actions over HTTP: cancel or retry many jobs, send deliveries or watches again; follow it, abort it.
import { Bulk, BulkRequest } from "@croft/contract";
import { abortBulk, createBulk, type Engine, readBulk } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf, scopeOf } from "../principal.ts";

const BulkPath = z.object({ id: z.uuid() });

export function bulkRoutes(app: App, { database }: Engine): void {
  app.post(
    "/api/bulk",
    {
      config: { access: "writer" },
      schema: {
        tags: ["bulk"],
        summary:
          "Cancel or retry jobs, replay deliveries, or re-sync watches: all that a filter names",
        description:
          "An app's bulk action touches what is its own only, an admin's what is anybody's. A delivery with a path that a later one has too is skipped: re-sync its watch.",
        body: BulkRequest,
        response: {
          202: Bulk,
          ...describeProblems("unauthenticated", "forbidden", "invalid-input"),
        },
      },
    },
    async ({ principal, body }, reply) => {
      const bulk = await createBulk(database, ownerOf(principal), body);
      return await reply.code(202).header("location", `/api/bulk/${bulk.id}`).send(bulk);
    },
  );

  app.get(
    "/api/bulk/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["bulk"],
        summary: "How far a bulk action has got",
        params: BulkPath,
        response: {
          200: Bulk,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await readBulk(database, scopeOf(principal), params.id),
  );

  app.post(
    "/api/bulk/:id/abort",
    {
      config: { access: "writer" },
      schema: {
        tags: ["bulk"],
        summary: "Stop a bulk action; what is done stays done",
        description: "One that has ended is left as it is.",
        params: BulkPath,
        response: {
          200: Bulk,
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await abortBulk(database, scopeOf(principal), params.id),
  );
}

// The queue for admins: lanes with their limits, what waits, and the workers.
import { Lane, LaneChange, LaneList, LaneQuery, QueueState, WorkerList } from "@croft/contract";
import { changeLane, type Engine, listLanes, listWorkers, readQueue } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

export function queueRoutes(app: App, { database }: Engine): void {
  app.get(
    "/admin/api/queue",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["queue"],
        summary: "What runs and what waits, by owner",
        response: { 200: QueueState, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async () => await readQueue(database),
  );

  app.get(
    "/admin/api/lanes",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["queue"],
        summary: "Lanes, the fullest first",
        querystring: LaneQuery,
        response: {
          200: LaneList,
          ...describeProblems("unauthenticated", "forbidden", "invalid-input"),
        },
      },
    },
    async ({ query }) => await listLanes(database, query),
  );

  app.patch(
    "/admin/api/lanes/:id",
    {
      config: { access: "admin" },
      schema: {
        tags: ["queue"],
        summary: "Set the limit of a lane, pause or resume it",
        params: z.object({ id: z.guid() }),
        body: LaneChange,
        response: {
          200: Lane,
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ params, body }) => await changeLane(database, params.id, body),
  );

  app.get(
    "/admin/api/workers",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["queue"],
        summary: "Processes that run jobs, those that ended today included",
        response: { 200: WorkerList, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async () => ({ workers: await listWorkers(database) }),
  );
}

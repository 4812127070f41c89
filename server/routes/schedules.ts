// Schedules over HTTP: jobs that come again and again, by the clock.
import {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
} from "@croft/contract";
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  type Engine,
  listSchedules,
  readSchedule,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf, scopeOf } from "../principal.ts";

const SchedulePath = z.object({ id: z.uuid() });

export function scheduleRoutes(app: App, engine: Engine): void {
  readRoutes(app, engine);
  createRoute(app, engine);
  changeRoutes(app, engine);
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/schedules",
    {
      config: { access: "reader" },
      schema: {
        tags: ["schedules"],
        summary: "List schedules, newest first",
        querystring: ScheduleQuery,
        response: { 200: ScheduleList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listSchedules(database, scopeOf(principal), query),
  );

  app.get(
    "/api/schedules/:id",
    {
      config: { access: "reader" },
      schema: {
        tags: ["schedules"],
        summary: "One schedule",
        params: SchedulePath,
        response: {
          200: Schedule,
          ...describeProblems("unauthenticated", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }) => await readSchedule(database, scopeOf(principal), params.id),
  );
}

function createRoute(app: App, engine: Engine): void {
  app.post(
    "/api/schedules",
    {
      config: { access: "writer" },
      schema: {
        tags: ["schedules"],
        summary: "Submit a job again and again, by the clock",
        body: NewSchedule,
        response: {
          201: Schedule,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "name-taken",
            "invalid-input",
            "unknown-type",
          ),
        },
      },
    },
    async ({ principal, body }, reply) => {
      const schedule = await createSchedule(engine, ownerOf(principal), body);
      const location = `/api/schedules/${schedule.id}`;
      return await reply.code(201).header("location", location).send(schedule);
    },
  );
}

function changeRoutes(app: App, engine: Engine): void {
  app.patch(
    "/api/schedules/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["schedules"],
        summary: "Change, pause or resume a schedule",
        description: "What is not named stays; a new `job` takes the whole of the old one's place.",
        params: SchedulePath,
        body: ScheduleChange,
        response: {
          200: Schedule,
          ...describeProblems(
            "unauthenticated",
            "forbidden",
            "not-found",
            "name-taken",
            "invalid-input",
            "unknown-type",
          ),
        },
      },
    },
    async ({ principal, params, body }) =>
      await changeSchedule(engine, scopeOf(principal), params.id, body),
  );

  app.delete(
    "/api/schedules/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["schedules"],
        summary: "Delete a schedule; jobs it has submitted stay",
        params: SchedulePath,
        response: {
          204: z.null().describe("deleted"),
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }, reply) => {
      await deleteSchedule(engine.database, scopeOf(principal), params.id);
      return await reply.code(204).send(null);
    },
  );
}

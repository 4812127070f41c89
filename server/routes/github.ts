// GitHub for admins: events with what they started, once more, and the installations of the App.
import {
  GithubEventDetails,
  GithubEventList,
  GithubEventQuery,
  GithubInstallationDetails,
  GithubInstallationList,
  GithubInstallationQuery,
  GithubState,
} from "@croft/contract";
import {
  type Engine,
  listGithubEvents,
  listInstallations,
  readGithubEvent,
  readGithubState,
  readInstallation,
  replayEvent,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

const tags = ["github"];
const EventPath = z.object({ id: z.uuid() });
const InstallationPath = z.object({ id: z.coerce.number().int().positive() });
const problemsOfLists = describeProblems("unauthenticated", "forbidden", "invalid-input");
const problemsOfOne = describeProblems(
  ...(["unauthenticated", "forbidden", "not-found", "invalid-input"] as const),
);

export function githubRoutes(app: App, engine: Engine): void {
  const { pool } = engine.database;
  app.get(
    "/api/github",
    {
      config: { access: "viewer" },
      schema: {
        tags,
        summary: "Whether events are taken, and how they went",
        response: { 200: GithubState, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async () => await readGithubState(pool, engine.config),
  );
  installationRoutes(app, engine);
  eventRoutes(app, engine);
}

function installationRoutes(app: App, { database: { pool } }: Engine): void {
  app.get(
    "/api/github/installations",
    {
      config: { access: "viewer" },
      schema: {
        tags,
        summary: "List installations of the App",
        querystring: GithubInstallationQuery,
        response: { 200: GithubInstallationList, ...problemsOfLists },
      },
    },
    async ({ query }) => await listInstallations(pool, query),
  );

  app.get(
    "/api/github/installations/:id",
    {
      config: { access: "viewer" },
      schema: {
        tags,
        summary: "One installation with its repositories and last events",
        params: InstallationPath,
        response: { 200: GithubInstallationDetails, ...problemsOfOne },
      },
    },
    async ({ params }) => await readInstallation(pool, params.id),
  );
}

function eventRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/github/events",
    {
      config: { access: "viewer" },
      schema: {
        tags,
        summary: "List events, newest first",
        querystring: GithubEventQuery,
        response: { 200: GithubEventList, ...problemsOfLists },
      },
    },
    async ({ query }) => await listGithubEvents(database.pool, query),
  );

  app.get(
    "/api/github/events/:id",
    {
      config: { access: "viewer" },
      schema: {
        tags,
        summary: "One event with its payload and what it started",
        params: EventPath,
        response: { 200: GithubEventDetails, ...problemsOfOne },
      },
    },
    async ({ params }) => await readGithubEvent(database.pool, params.id),
  );

  app.post(
    "/api/github/events/:id/replay",
    {
      config: { access: "admin" },
      schema: {
        tags,
        summary: "Handle it once more",
        description: "It starts its work anew, whether it was handled, ignored or given up.",
        params: EventPath,
        response: {
          202: GithubEventDetails,
          ...problemsOfOne,
          ...describeProblems("event-pending"),
        },
      },
    },
    async ({ params }, reply) => {
      await replayEvent(database, params.id);
      return await reply.code(202).send(await readGithubEvent(database.pool, params.id));
    },
  );
}

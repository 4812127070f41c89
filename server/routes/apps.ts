// Apps over HTTP: onboarded, changed and deleted by admins; an app sees itself.
import {
  AppChange,
  AppDeletion,
  AppDetail,
  AppList,
  AppPing,
  AppQuery,
  NewApp,
  OnboardedApp,
} from "@croft/contract";
import {
  changeApp,
  deleteApp,
  type Engine,
  EngineError,
  listApps,
  onboardApp,
  pingApp,
  previewDeletion,
  readApp,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { appKeyRoutes } from "./app-keys.ts";

const AppPath = z.object({ id: z.uuid() });
const REFUSALS = ["unauthenticated", "forbidden", "invalid-input"] as const;

export function appRoutes(app: App, engine: Engine): void {
  onboardRoute(app, engine);
  readRoutes(app, engine);
  ownRoute(app, engine);
  changeRoutes(app, engine);
  appKeyRoutes(app, engine);
  deleteRoutes(app, engine);
}

function onboardRoute(app: App, engine: Engine): void {
  app.post(
    "/api/apps/onboard",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Onboard an app",
        description:
          "Answers with its token and signing secret, which are never shown again. An address that is private, unknown or not https is refused with the reason.",
        body: NewApp,
        response: { 201: OnboardedApp, ...describeProblems(...REFUSALS, "unsafe-address") },
      },
    },
    async ({ body }, reply) => {
      const made = await onboardApp(engine, body);
      return await reply.code(201).header("location", `/api/apps/${made.id}`).send(made);
    },
  );
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/apps",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["apps"],
        summary: "List apps, newest first",
        querystring: AppQuery,
        response: { 200: AppList, ...describeProblems(...REFUSALS) },
      },
    },
    async ({ query }) => await listApps(database, query),
  );

  app.get(
    "/api/apps/:id",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["apps"],
        summary: "One app, with what is open",
        params: AppPath,
        response: { 200: AppDetail, ...describeProblems(...REFUSALS, "not-found") },
      },
    },
    async ({ params }) => await readApp(database, params.id),
  );
}

function ownRoute(app: App, { database }: Engine): void {
  app.get(
    "/api/apps/me",
    {
      config: { access: "app" },
      schema: {
        tags: ["apps"],
        summary: "The app whose token this is",
        response: { 200: AppDetail, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async ({ principal }) => {
      if (principal?.kind !== "app") throw new EngineError("forbidden", "this is for apps");
      return await readApp(database, principal.app.id);
    },
  );
}

function changeRoutes(app: App, engine: Engine): void {
  app.patch(
    "/api/apps/:id",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Change, pause or resume an app",
        description:
          "What is not named stays. A new `base_url`, and a resumption, let an address that had failed or was gone begin anew.",
        params: AppPath,
        body: AppChange,
        response: {
          200: AppDetail,
          ...describeProblems(...REFUSALS, "not-found", "unsafe-address"),
        },
      },
    },
    async ({ params, body }) => await changeApp(engine, params.id, body),
  );

  app.post(
    "/api/apps/:id/ping",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Test the app's endpoint with a signed message",
        params: AppPath,
        response: { 202: AppPing, ...describeProblems(...REFUSALS, "not-found") },
      },
    },
    async ({ params }, reply) => {
      const delivery_id = await pingApp(engine.database, params.id);
      return await reply.code(202).send({ delivery_id });
    },
  );
}

function deleteRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/apps/:id/deletion",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["apps"],
        summary: "What would go with the app",
        params: AppPath,
        response: { 200: AppDeletion, ...describeProblems(...REFUSALS, "not-found") },
      },
    },
    async ({ params }) => await previewDeletion(database, params.id),
  );

  app.delete(
    "/admin/api/apps/:id",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Delete an app and all that is its own",
        description:
          "Its tokens are refused at once, nothing of it starts or is sent any more, what runs is cancelled. The rest is removed when its last attempt has ended. Repositories that others watch stay.",
        params: AppPath,
        response: {
          204: z.null().describe("deleted"),
          ...describeProblems(...REFUSALS, "not-found"),
        },
      },
    },
    async ({ params }, reply) => {
      await deleteApp(database, params.id);
      return await reply.code(204).send(null);
    },
  );
}

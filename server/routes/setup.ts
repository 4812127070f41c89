// Creating the first admin.
import { CurrentSession, Setup, SetupLink, SetupState } from "@croft/contract";
import { createFirstAdmin, createSetupLink, type Engine, isSetupNeeded } from "@croft/engine";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { currentSessionOf, setSessionCookie, visitorOf } from "../session-cookie.ts";
import { setupUrl } from "../setup-url.ts";

export function setupRoutes(app: App, engine: Engine, ownUrl: () => string): void {
  app.get(
    "/api/setup",
    {
      config: { access: "public" },
      schema: {
        tags: ["set-up"],
        summary: "Whether the first admin is still to be created",
        response: { 200: SetupState, ...describeProblems() },
      },
    },
    async () => ({ needed: await isSetupNeeded(engine.database) }),
  );

  app.post(
    "/api/setup",
    {
      config: { access: "browser" },
      schema: {
        tags: ["set-up"],
        summary: "Create the first admin with the one-time link, and sign in",
        body: Setup,
        response: {
          201: CurrentSession,
          ...describeProblems(
            "forbidden-origin",
            "insecure-transport",
            "setup-done",
            "setup-link-invalid",
            "misdirected",
            "invalid-input",
          ),
        },
      },
    },
    async (request, reply) => {
      const session = await createFirstAdmin(engine, request.body, visitorOf(request));
      setSessionCookie(request, reply, session);
      return await reply.code(201).send(currentSessionOf(session));
    },
  );

  app.post(
    "/admin/api/setup-links",
    {
      config: { access: "admin" },
      schema: {
        tags: ["set-up"],
        summary: "Make another one-time link, while there is no admin",
        response: {
          201: SetupLink,
          ...describeProblems("unauthenticated", "forbidden", "setup-done"),
        },
      },
    },
    async (_request, reply) => {
      const { token, expiresAt } = await createSetupLink(engine);
      return await reply
        .code(201)
        .send({ url: setupUrl(ownUrl(), token), expires_at: expiresAt.toISOString() });
    },
  );
}

// Signing in and out, and who the browser is.
import { CurrentSession, SignIn } from "@croft/contract";
import { type Engine, EngineError, endSession, signIn } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import {
  clearSessionCookie,
  currentSessionOf,
  setSessionCookie,
  visitorOf,
} from "../session-cookie.ts";

export function sessionRoutes(app: App, engine: Engine): void {
  app.post(
    "/api/session",
    {
      config: { access: "browser" },
      schema: {
        tags: ["session"],
        summary: "Sign in",
        body: SignIn,
        response: {
          201: CurrentSession,
          ...describeProblems(
            "wrong-credentials",
            "forbidden-origin",
            "insecure-transport",
            "misdirected",
            "invalid-input",
            "too-many-attempts",
          ),
        },
      },
    },
    async (request, reply) => {
      const session = await signIn(engine, request.body, visitorOf(request));
      setSessionCookie(request, reply, session);
      return await reply.code(201).send(currentSessionOf(session));
    },
  );

  app.get(
    "/api/session",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["session"],
        summary: "Who is signed in",
        response: { 200: CurrentSession, ...describeProblems("unauthenticated") },
      },
    },
    async ({ principal }) => {
      if (principal?.kind !== "admin") {
        throw new EngineError("not-found", "a token has no session");
      }
      return currentSessionOf(principal.session);
    },
  );

  app.delete(
    "/api/session",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["session"],
        summary: "Sign out",
        response: { 204: z.null(), ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async (request, reply) => {
      const { principal } = request;
      if (principal?.kind !== "admin") {
        throw new EngineError("not-found", "a token has no session");
      }
      const { id, admin } = principal.session;
      await endSession(engine.database, { id, adminId: admin.id });
      clearSessionCookie(request, reply);
      return await reply.code(204).send(null);
    },
  );
}

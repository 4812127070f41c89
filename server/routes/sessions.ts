// The places where an admin is signed in; the local CLI sees everybody's.
import { SessionList } from "@croft/contract";
import { type Engine, EngineError, endSession, listSessions } from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import type { Principal } from "../principal.ts";

export function sessionsRoutes(app: App, engine: Engine): void {
  app.get(
    "/admin/api/sessions",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["session"],
        summary: "Places where you are signed in",
        response: { 200: SessionList, ...describeProblems("unauthenticated") },
      },
    },
    async ({ principal }) => ({
      sessions: await listSessions(engine.database, engine.config, scopeOf(principal)),
    }),
  );

  app.delete(
    "/admin/api/sessions/:id",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["session"],
        summary: "Sign out one place",
        params: z.object({ id: z.uuid() }),
        response: {
          204: z.null(),
          ...describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input"),
        },
      },
    },
    async ({ principal, params }, reply) => {
      const { adminId } = scopeOf(principal);
      if (!(await endSession(engine.database, { id: params.id, adminId }))) {
        throw new EngineError("not-found", "there is no such session");
      }
      return await reply.code(204).send(null);
    },
  );
}

function scopeOf(principal: Principal | undefined) {
  const session = principal?.kind === "admin" ? principal.session : undefined;
  return { adminId: session?.admin.id, currentId: session?.id };
}

// Tokens and signing secrets of apps over HTTP: another one, which is told once, and the end of one.
import { AppRotation, NewAppToken, NewSigningSecret } from "@croft/contract";
import {
  type Engine,
  revokeSigningSecret,
  revokeToken,
  rotateSigningSecret,
  rotateToken,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";

const AppPath = z.object({ id: z.uuid() });
const TokenPath = AppPath.extend({ token: z.string().regex(/^[a-z0-9]{16}$/) });
const SecretPath = AppPath.extend({ secret: z.uuid() });
const PROBLEMS = describeProblems("unauthenticated", "forbidden", "not-found", "invalid-input");
const GONE = { 204: z.null().describe("it counts no more"), ...PROBLEMS };

export function appKeyRoutes(app: App, engine: Engine): void {
  tokenRoutes(app, engine);
  signingSecretRoutes(app, engine);
}

function tokenRoutes(app: App, { database }: Engine): void {
  app.post(
    "/api/apps/:id/rotate-token",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Give the app another token",
        description:
          "The one before stays valid for a while, so that the app can change to the new.",
        params: AppPath,
        body: AppRotation,
        response: { 200: NewAppToken, ...PROBLEMS },
      },
    },
    async ({ params, body }) => await rotateToken(database, params.id, body.old_valid_ms),
  );

  app.delete(
    "/api/apps/:id/tokens/:token",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Revoke a token at once",
        params: TokenPath,
        response: GONE,
      },
    },
    async ({ params }, reply) => {
      await revokeToken(database, params.id, params.token);
      return await reply.code(204).send(null);
    },
  );
}

function signingSecretRoutes(app: App, { database, vault }: Engine): void {
  app.post(
    "/api/apps/:id/rotate-signing-secret",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Sign the app's deliveries with another secret",
        description: "Until the one before ends, both sign.",
        params: AppPath,
        body: AppRotation,
        response: { 200: NewSigningSecret, ...PROBLEMS },
      },
    },
    async ({ params, body }) => await rotateSigningSecret(vault, params.id, body.old_valid_ms),
  );

  app.delete(
    "/api/apps/:id/signing-secrets/:secret",
    {
      config: { access: "admin" },
      schema: {
        tags: ["apps"],
        summary: "Revoke a signing secret at once",
        description: "Not the last one: rotate it instead.",
        params: SecretPath,
        response: GONE,
      },
    },
    async ({ params }, reply) => {
      await revokeSigningSecret(database, params.id, params.secret);
      return await reply.code(204).send(null);
    },
  );
}

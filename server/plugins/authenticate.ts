// Finds out who makes a request and refuses what the route does not allow them.
import {
  type Engine,
  EngineError,
  recogniseApp,
  recogniseSession,
  secretsEqual,
} from "@croft/engine";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { AppRequestLimit } from "../app-request-limit.ts";
import { type Access, mayEnter, type Principal } from "../principal.ts";
import { requireOwnOrigin, requireSafeTransport, sessionCookieName } from "../transport.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
const CSRF_HEADER = "x-csrf-token";

export function authenticate(app: FastifyInstance, engine: Engine): void {
  app.decorateRequest("principal", undefined);
  const limit = new AppRequestLimit(engine.config.limits.appRequestsPerMinute);

  // A server with a route that forgot to say who may enter must not start, rather than stand open.
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  app.addHook("onReady", async () => {
    const open = routes.find(({ config }) => config?.access === undefined);
    if (open !== undefined)
      throw new Error(`route '${open.method} ${open.url}' has no access rule`);
  });

  app.addHook("onRequest", async (request) => {
    const access = request.routeOptions.config.access ?? "public"; // no route: answered with 404
    if (access === "public") return;
    if (access === "browser") {
      requireSafeTransport(request, engine.config);
      if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(request);
      return;
    }
    const principal = await identify(request, engine);
    if (principal === undefined) throw unauthenticated();
    if (principal.kind === "scraper" && access !== "metrics") throw unauthenticated();
    if (principal.kind === "app") limit.count(principal.app.id);
    if (!mayEnter(access, principal)) throw forbidden(access, principal);
    request.principal = principal;
  });
}

/** A token that is sent is what counts: a wrong one is not rescued by a cookie. */
async function identify(request: FastifyRequest, engine: Engine): Promise<Principal | undefined> {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : await identifyToken(token, engine);
  }
  const secret = request.cookies[sessionCookieName(request)];
  if (secret === undefined || secret.length > 128) return undefined;
  requireSafeTransport(request, engine.config);
  const session = await recogniseSession(engine.database, engine.config, secret);
  if (session === undefined) return undefined;
  if (!SAFE_METHODS.includes(request.method)) {
    requireOwnOrigin(request);
    const sent = request.headers[CSRF_HEADER];
    if (typeof sent !== "string" || !secretsEqual(sent, session.csrfToken)) {
      throw new EngineError(
        "wrong-csrf-token",
        `header '${CSRF_HEADER}' is missing or of another session; reload the page`,
      );
    }
  }
  return { kind: "admin", session };
}

async function identifyToken(token: string, engine: Engine): Promise<Principal | undefined> {
  const { localToken, config, database } = engine;
  if (secretsEqual(token, localToken)) return { kind: "local" };
  const { token: metricsToken } = config.metrics;
  if (metricsToken !== undefined && secretsEqual(token, metricsToken)) return { kind: "scraper" };
  const app = await recogniseApp(database, token);
  return app === undefined ? undefined : { kind: "app", app };
}

function forbidden(access: Access, { kind }: Principal): EngineError {
  const other = access === "app" ? "this is for apps, with a token" : "this needs the role admin";
  return new EngineError("forbidden", kind === "app" ? "this is for admins, not for apps" : other);
}

function unauthenticated(): EngineError {
  return new EngineError("unauthenticated", "sign in, or send a valid token");
}

// The cookie that keeps a browser signed in.
import type { CurrentSession } from "@croft/contract";
import type { OpenSession, Visitor } from "@croft/engine";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionCookieName } from "./transport.ts";

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, expiresAt }: OpenSession,
): void {
  reply.setCookie(sessionCookieName(request), secret, {
    ...cookieRules(request),
    expires: expiresAt,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(sessionCookieName(request), cookieRules(request));
}

export function currentSessionOf({ admin, csrfToken, expiresAt }: OpenSession): CurrentSession {
  return { admin, csrf_token: csrfToken, expires_at: expiresAt.toISOString() };
}

export function visitorOf(request: FastifyRequest): Visitor {
  return { address: request.ip, userAgent: request.headers["user-agent"] ?? "" };
}

function cookieRules(request: FastifyRequest) {
  const secure = request.protocol === "https";
  return { path: "/", httpOnly: true, sameSite: "strict", secure } as const;
}

// How a request reached us: encrypted or not, under which name, from which page.
import { isIP } from "node:net";
import { type Config, EngineError } from "@croft/engine";
import type { FastifyRequest } from "fastify";

/** Over TLS the `__Host-` prefix makes the browser refuse the cookie from anywhere but this very host. */
export function sessionCookieName(request: FastifyRequest): string {
  return request.protocol === "https" ? "__Host-croft-session" : "croft-session";
}

/** A password or session cookie must never cross a network in the clear. */
export function requireSafeTransport(request: FastifyRequest, { http }: Config): void {
  requireKnownHost(request, http.publicUrl);
  if (request.protocol === "https") return;
  if (!isLoopback(request.ip)) {
    throw new EngineError(
      "insecure-transport",
      "signing in over plain HTTP works only on the machine itself; put a proxy with TLS in front and set http.trustProxy",
    );
  }
  if (http.publicUrl?.startsWith("https:") && request.host === new URL(http.publicUrl).host) {
    throw new EngineError(
      "insecure-transport",
      "the request came through a proxy without saying that it was encrypted; set http.trustProxy and let the proxy send X-Forwarded-Proto",
    );
  }
}

/** A page of another site whose DNS name points at this machine would otherwise pass as ours. */
function requireKnownHost(request: FastifyRequest, publicUrl: string | undefined): void {
  const name = request.hostname.replace(/^\[|\]$/g, "");
  if (name === "localhost" || isIP(name) !== 0) return;
  if (publicUrl !== undefined && request.host === new URL(publicUrl).host) return;
  throw new EngineError(
    "misdirected",
    `host '${request.hostname.slice(0, 100)}' is not served here; set http.publicUrl if it should be`,
  );
}

/** Browsers send Origin with everything that changes something; a page of another site cannot forge it. */
export function requireOwnOrigin(request: FastifyRequest): void {
  const own = `${request.protocol}://${request.host}`;
  if (request.headers.origin === own) return;
  if (request.headers.origin === undefined && request.headers["sec-fetch-site"] === "same-origin") {
    return;
  }
  throw new EngineError("forbidden-origin", `this request is accepted only from pages of ${own}`);
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}

// Who makes a request, and what a route asks of them.
import type { KnownApp, OpenSession, Scope } from "@croft/engine";

export type Principal =
  /** The CLI on this machine, with the token file. */
  | { readonly kind: "local" }
  /** A signed-in browser; its admin has a role. */
  | { readonly kind: "admin"; readonly session: OpenSession }
  /** A client with a token of its own: sees what belongs to it. */
  | { readonly kind: "app"; readonly app: KnownApp }
  /** A scraper with the metrics token: may read /metrics and nothing else. */
  | { readonly kind: "scraper" };

/**
 * - `public`: anybody.
 * - `browser`: anybody, but a browser only from our own pages (sign-in, set-up).
 * - `viewer`: any signed-in person, and the local CLI.
 * - `admin`: role admin, and the local CLI.
 * - `reader`: as viewer, and apps.
 * - `writer`: as admin, and apps.
 * - `app`: apps only, about themselves.
 * - `metrics`: as viewer, and scrapers.
 */
export type Access =
  | "public"
  | "browser"
  | "viewer"
  | "admin"
  | "reader"
  | "writer"
  | "app"
  | "metrics";

export function mayEnter(access: Access, principal: Principal): boolean {
  switch (access) {
    case "public":
    case "browser":
      return true;
    case "metrics":
      return principal.kind !== "app";
    case "viewer":
      return principal.kind === "local" || principal.kind === "admin";
    case "reader":
      return principal.kind !== "scraper";
    case "app":
      return principal.kind === "app";
    case "admin":
      return isAdmin(principal);
    case "writer":
      return principal.kind === "app" || isAdmin(principal);
  }
}

function isAdmin(principal: Principal): boolean {
  return (
    principal.kind === "local" ||
    (principal.kind === "admin" && principal.session.admin.role === "admin")
  );
}

/** Whose things it makes. */
export function ownerOf(principal: Principal | undefined): string {
  return principal?.kind === "app" ? `app:${principal.app.id}` : "local";
}

/** Whose things it sees: an app its own, everybody else all. */
export function scopeOf(principal: Principal | undefined): Scope {
  return { owner: principal?.kind === "app" ? ownerOf(principal) : undefined };
}

/** Who it was, for whoever looks at it later. */
export function nameOf(principal: Principal | undefined): string {
  if (principal?.kind === "admin") return principal.session.admin.email;
  return principal?.kind === "app" ? `app ${principal.app.name}` : "local";
}

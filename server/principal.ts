// Who makes a request, and what a route asks of them.
import type { OpenSession } from "@croft/engine";

export type Principal =
  /** The CLI on this machine, with the token file. */
  | { readonly kind: "local" }
  /** A signed-in browser; its admin has a role. */
  | { readonly kind: "admin"; readonly session: OpenSession }
  /** A scraper with the metrics token: may read /metrics and nothing else. */
  | { readonly kind: "scraper" };

/**
 * - `public`: anybody.
 * - `browser`: anybody, but a browser only from our own pages (sign-in, set-up).
 * - `viewer`: any signed-in person, and the local CLI.
 * - `admin`: role admin, and the local CLI.
 * - `metrics`: as viewer, and scrapers.
 */
export type Access = "public" | "browser" | "viewer" | "admin" | "metrics";

export function mayEnter(access: Access, principal: Principal): boolean {
  switch (access) {
    case "public":
    case "browser":
      return true;
    case "metrics":
      return true;
    case "viewer":
      return principal.kind !== "scraper";
    case "admin":
      return (
        principal.kind === "local" ||
        (principal.kind === "admin" && principal.session.admin.role === "admin")
      );
  }
}

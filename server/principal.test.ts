// Who may enter where.
import { expect, test } from "vitest";
import { type Access, mayEnter, type Principal } from "./principal.ts";

function admin(role: "admin" | "viewer"): Principal {
  const person = { id: "1", email: "a@b", name: "A", role, created_at: "" };
  const session = { id: "2", secret: "s", csrfToken: "c", admin: person, expiresAt: new Date() };
  return { kind: "admin", session };
}

const principals: Record<string, Principal> = {
  local: { kind: "local" },
  admin: admin("admin"),
  viewer: admin("viewer"),
  scraper: { kind: "scraper" },
  app: { kind: "app", app: { id: "3", name: "A", tokenId: "4" } },
};

test.each<[Access, string[]]>([
  ["public", ["local", "admin", "viewer", "scraper", "app"]],
  ["browser", ["local", "admin", "viewer", "scraper", "app"]],
  ["metrics", ["local", "admin", "viewer", "scraper"]],
  ["viewer", ["local", "admin", "viewer"]],
  ["admin", ["local", "admin"]],
  ["reader", ["local", "admin", "viewer", "app"]],
  ["writer", ["local", "admin", "app"]],
  ["app", ["app"]],
])("%s lets in %j", (access, expected) => {
  const entering = Object.keys(principals).filter((name) => {
    const principal = principals[name];
    return principal !== undefined && mayEnter(access, principal);
  });
  expect(entering).toEqual(expected);
});

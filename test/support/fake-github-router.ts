// How a fake GitHub finds the answer to a request: patterns, pages, and who may ask.
import type { Caller } from "./fake-github-auth.ts";
import { allows, reaches } from "./fake-github-auth.ts";
import { FakeError, notFound } from "./fake-github-error.ts";
import type { FakeRepository, FakeState, FakeToken } from "./fake-github-state.ts";

export interface Asked {
  readonly state: FakeState;
  readonly caller: Caller;
  /** The parts of the path that the pattern names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  /** Base of the API, for links. */
  readonly apiUrl: string;
  readonly webUrl: string;
  /** The address that was asked for, for links to other pages. */
  readonly address: URL;
}

export interface Answered {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Route = readonly [
  pattern: string,
  handle: (asked: Asked) => Answered | Promise<Answered>,
];

/** `GET /repos/:owner/:repo`: a part with a colon is any one part. */
export function findRoute(routes: readonly Route[], method: string, path: string) {
  for (const [pattern, handle] of routes) {
    const [wantedMethod, wantedPath = ""] = pattern.split(" ");
    if (wantedMethod !== method) continue;
    const wanted = wantedPath.split("/");
    const parts = path.split("/");
    if (wanted.length !== parts.length) continue;
    const named: Record<string, string> = {};
    const isSame = wanted.every((part, at) => {
      const given = decodeURIComponent(parts[at] ?? "");
      if (!part.startsWith(":")) return part === given;
      named[part.slice(1)] = given;
      return true;
    });
    if (isSame) return { handle, path: named };
  }
  return undefined;
}

const PER_PAGE = 30;
const PER_PAGE_MAX = 100;

/** One page, with a link to the next as GitHub writes it. */
export function pageOf<T>({ query, address }: Asked, items: readonly T[]) {
  const size = Math.min(Number(query.get("per_page") ?? PER_PAGE), PER_PAGE_MAX);
  const page = Number(query.get("page") ?? 1);
  const next = new URL(address);
  next.searchParams.set("page", String(page + 1));
  const headers: Record<string, string> =
    items.length > page * size ? { link: `<${next}>; rel="next"` } : {};
  return { items: items.slice((page - 1) * size, page * size), headers };
}

export function requireApp({ caller }: Asked): void {
  if (caller.kind !== "app") {
    throw new FakeError(401, "A JSON web token could not be decoded");
  }
}

export function requireToken({ caller }: Asked): FakeToken {
  if (caller.kind === "nobody") throw new FakeError(401, "Requires authentication");
  if (caller.kind === "app") throw new FakeError(403, "Resource not accessible by integration");
  return caller.token;
}

/** The repository of the path, if the asker's token is for it and for this use of it. */
export function requireRepository(
  asked: Asked,
  level: "read" | "write",
  ...permissions: readonly string[]
): FakeRepository {
  const token = requireToken(asked);
  const { owner, repo } = asked.path;
  const repository = asked.state.repository(`${owner}/${repo}`);
  if (repository === undefined || !reaches(token, repository)) throw notFound();
  if (!permissions.some((name) => allows(token.permissions, name, level))) {
    throw new FakeError(403, "Resource not accessible by integration");
  }
  return repository;
}

/** As GitHub: a text that is too long or missing is 422 with the name of the field. */
export function textOf(
  body: Asked["body"],
  field: string,
  { max = 65_536, isRequired = false }: { max?: number; isRequired?: boolean } = {},
): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) {
    if (isRequired) throw new FakeError(422, `Invalid request. "${field}" wasn't supplied.`);
    return undefined;
  }
  if (typeof value !== "string") throw new FakeError(422, `"${field}" is not a string`);
  if (value.length > max)
    throw new FakeError(422, `${field} is too long (maximum is ${max} characters)`);
  return value;
}

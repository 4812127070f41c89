// A GitHub of a test's own: its REST API, its git and its webhooks, on loopback over TLS, with faults and a clock to turn.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { APP_ROUTES } from "./fake-github-app-routes.ts";
import { callerOf, kindOfSecret, secretOf } from "./fake-github-auth.ts";
import { CHECK_ROUTES } from "./fake-github-check-routes.ts";
import { FakeError, notFound } from "./fake-github-error.ts";
import { answerFault, cut, sendJson, takeFault } from "./fake-github-faults.ts";
import { serveGitRequest } from "./fake-github-git.ts";
import { PULL_ROUTES } from "./fake-github-pull-routes.ts";
import { type Asked, findRoute } from "./fake-github-router.ts";
import { FakeState } from "./fake-github-state.ts";
import { FakeWorld } from "./fake-github-world.ts";
import { makeAuthority } from "./make-authority.ts";

export interface FakeGithubOptions {
  /** Milliseconds, as Date.now. */
  readonly now?: (() => number) | undefined;
}

export interface AskedRequest {
  /** `GET /repos/o/r`, without the API's own prefix; git's paths as they are. */
  readonly line: string;
  readonly authorization: "none" | "jwt" | "token" | "basic";
  /** The JWT or token itself, to look for where it must not be. */
  readonly secret: string | undefined;
  readonly at: number;
}

export interface FakeGithub extends FakeWorld {
  /** Base of the API, as at an Enterprise server: `https://127.0.0.1:1234/api/v3`. */
  readonly url: string;
  readonly webUrl: string;
  /** `127.0.0.1:1234`, to be allowed as a private address. */
  readonly host: string;
  /** What clients must trust: `git.caFile`. */
  readonly caFile: string;
  /** Every request so far. */
  readonly requests: AskedRequest[];
  /** The settings of a Croft that is this App, by path as `scratchEngine` takes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** The same as variables of a process: secrets in files. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const ROUTES = [...APP_ROUTES, ...PULL_ROUTES, ...CHECK_ROUTES];
const API = "/api/v3";

/** Whoever starts it must close it; in a test, `startFakeGithub` does. */
export async function serveFakeGithub({
  now = Date.now,
}: FakeGithubOptions = {}): Promise<FakeGithub> {
  const root = await mkdtemp(join(tmpdir(), "croft-fake-github-"));
  const { caFile, identity } = makeAuthority(root);
  const state = new FakeState(now);
  const requests: AskedRequest[] = [];
  const place = { root: join(root, "repositories"), webUrl: "" };
  const server = createServer(identity, (request, response) => {
    void answer({ state, place, requests }, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  place.webUrl = `https://${host}`;
  const world = new FakeWorld(state, place);
  const url = `${place.webUrl}${API}`;
  return Object.assign(world, {
    ...{ url, webUrl: place.webUrl, host, caFile, requests },
    ...(await settingsOf(world, { root, url, webUrl: place.webUrl, host, caFile })),
    close: async () => {
      await state.settled();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(root, { recursive: true, force: true });
    },
  });
}

interface Known {
  readonly root: string;
  readonly url: string;
  readonly webUrl: string;
  readonly host: string;
  readonly caFile: string;
}

async function settingsOf(world: FakeWorld, { root, url, webUrl, host, caFile }: Known) {
  const { appId, privateKey, webhookSecret } = world;
  const file = async (name: string, content: string) => {
    const path = join(root, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  return {
    settings: {
      "github.appId": String(appId),
      "github.privateKey": privateKey,
      "github.webhookSecret": webhookSecret,
      ...{ "github.apiUrl": url, "github.webUrl": webUrl },
      ...{ "git.caFile": caFile, allowPrivate: host },
    },
    environment: {
      CROFT_GITHUB_APP_ID: String(appId),
      CROFT_GITHUB_PRIVATE_KEY_FILE: await file("app.pem", privateKey),
      CROFT_GITHUB_WEBHOOK_SECRET_FILE: await file("webhook-secret", webhookSecret),
      ...{ CROFT_GITHUB_API_URL: url, CROFT_GITHUB_WEB_URL: webUrl },
      ...{ CROFT_GIT_CA_FILE: caFile, CROFT_ALLOW_PRIVATE: host },
    },
  };
}

interface Serving {
  readonly state: FakeState;
  readonly place: { readonly root: string; readonly webUrl: string };
  readonly requests: AskedRequest[];
}

async function answer(serving: Serving, request: IncomingMessage, response: ServerResponse) {
  const { state, place, requests } = serving;
  const address = new URL(request.url ?? "/", place.webUrl);
  const path = address.pathname.startsWith(`${API}/`)
    ? address.pathname.slice(API.length)
    : address.pathname;
  const line = `${request.method} ${path}`;
  requests.push({
    line,
    authorization: kindOfSecret(request),
    secret: secretOf(request),
    at: state.now(),
  });
  response.setHeader("date", new Date(state.now()).toUTCString());
  const fault = takeFault(state.faults, line);
  const isAnswered =
    fault !== undefined &&
    (await answerFault(fault, { response, path, now: state.now(), secret: secretOf(request) }));
  if (isAnswered) return;
  if (serveGitRequest(state, place.root, request, response)) return;
  const reply = await askApi(serving, request, address, path);
  if (fault?.kind === "cut") cut(response);
  else sendJson(response, reply.status, JSON.stringify(reply.body), reply.headers);
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

async function askApi(
  { state, place }: Serving,
  request: IncomingMessage,
  address: URL,
  path: string,
): Promise<Reply> {
  const { webUrl } = place;
  let headers: Readonly<Record<string, string>> = {};
  try {
    const raw = await text(request);
    const body = raw === "" ? {} : (JSON.parse(raw) as Asked["body"]);
    if (!address.pathname.startsWith(API)) throw notFound();
    const caller = callerOf(state, request);
    headers = countRequest(state, caller);
    const route = findRoute(ROUTES, request.method ?? "GET", path);
    if (route === undefined) throw notFound();
    const { searchParams: query } = address;
    const reply = await route.handle({
      ...{ state, caller, path: route.path, query, body, address },
      ...{ webUrl, apiUrl: `${webUrl}${API}` },
    });
    return {
      status: reply.status ?? 200,
      body: reply.body ?? {},
      headers: { ...headers, ...reply.headers },
    };
  } catch (error) {
    const status = error instanceof FakeError ? error.status : 500;
    const own = error instanceof FakeError ? error.headers : {};
    const message = error instanceof Error ? error.message : String(error);
    return { status, body: { message, documentation_url: "" }, headers: { ...headers, ...own } };
  }
}

/** Each request of an installation counts; with none left there is no answer until the time has come. */
function countRequest(state: FakeState, caller: Asked["caller"]): Record<string, string> {
  if (caller.kind !== "installation") return {};
  const { rateLimit } = caller.token.installation;
  if (state.now() >= rateLimit.resetAt) {
    rateLimit.remaining = rateLimit.limit;
    rateLimit.resetAt = state.now() + 3_600_000;
  }
  const isSpent = rateLimit.remaining <= 0;
  rateLimit.remaining = Math.max(0, rateLimit.remaining - 1);
  const headers = {
    "x-ratelimit-limit": String(rateLimit.limit),
    "x-ratelimit-remaining": String(rateLimit.remaining),
    "x-ratelimit-reset": String(Math.ceil(rateLimit.resetAt / 1000)),
    "x-ratelimit-resource": "core",
  };
  if (isSpent) throw new FakeError(403, "API rate limit exceeded for installation.", headers);
  return headers;
}

// Hostile requests over all routes, as everybody who may enter: only answers that the API describes, and a server that lives.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { createApp, type Database } from "@croft/engine";
import pg from "pg";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { createAdmin, getJson } from "../support/sign-in.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import {
  type ApiDescription,
  type ApiRoute,
  type HostileRequest,
  HostileRequests,
  routesOf,
} from "./hostile-requests.ts";
import { embeddedDatabaseUrl } from "./queue-processes.ts";

type Headers = Record<string, string>;
/** Of all requests each route gets this share at least, however many routes there are. */
const ROUTE_SHARE = 1 / 100;
const AT_ONCE = 8;
/** Who signs out meets only closed doors from then on: last. */
const LAST = /session|setup/;
const MISSING = "01a1e246-c651-7000-ba6e-000000000000";

/** `count` requests in all, or more, shared out equally. Those that were answered are counted. */
export async function askHostilely(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const data = join(directory, "data");
  const server = await startServer(data, {
    env: { CROFT_LIMITS_APP_REQUESTS_PER_MINUTE: "1000000" }, // else most of its requests would not get far
  });
  const pool = new pg.Pool({
    connectionString: embeddedDatabaseUrl(join(data, "postgres/socket")),
  });
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const answered = new Map<ApiRoute, number>();
  try {
    const callers = await makeCallers(server, pool);
    const api = (await getJson(server, "/api/openapi.json")) as ApiDescription;
    const routes = routesOf(api).sort(
      (a, b) => Number(LAST.test(a.path)) - Number(LAST.test(b.path)),
    );
    const ids = await makeThings(server, { authorization: `Bearer ${server.token}` }, seed);
    for (const route of routes) {
      failures.push(...(await compareForeign(server, route, callers["app"] ?? {}, ids)));
    }
    const own = await makeThings(server, callers["app"] ?? {}, seed);
    const all = [...Object.values(ids), ...Object.values(own)];
    const requests = new HostileRequests(api, seededRandom(seed), all);
    const perRoute = Math.ceil(count * Math.max(ROUTE_SHARE, 1 / routes.length));
    for (const route of routes) {
      const plan = Array.from({ length: perRoute }, (_, nth) => {
        const headers = Object.values(callers)[nth % Object.keys(callers).length] ?? {};
        return requests.next(route, headers);
      });
      const before = sumOf(statuses.values());
      failures.push(...(await askAll(server, plan, statuses)));
      answered.set(route, sumOf(statuses.values()) - before);
      if (failures.length > 0) break;
    }
    const { status } = await fetch(`${server.url}/readyz`);
    if (status !== 200) failures.push(`the server answers ${status} afterwards`);
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await pool.end();
    const code = await server.stop();
    if (code !== 0) failures.push(`the server ended with ${code}: ${server.output().slice(-2000)}`);
  }
  const fewest = Math.min(...answered.values());
  if (fewest < count * ROUTE_SHARE) failures.push(`a route has answered only ${fewest} requests`);
  const figures = {
    ...{ routes: answered.size, fewest_a_route: fewest },
    ...Object.fromEntries([...statuses].map(([status, many]) => [`s${status}`, many])),
  };
  return { injected: sumOf(answered.values()), figures, failures: failures.slice(0, 20) };
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, one) => sum + one, 0);
}

async function makeCallers(server: RunningServer, pool: pg.Pool): Promise<Record<string, Headers>> {
  const { token } = await createApp({ pool } as unknown as Database, "hostile");
  const { headers } = await createAdmin(server);
  return {
    app: { authorization: `Bearer ${token}` },
    admin: headers,
    local: { authorization: `Bearer ${server.token}` },
  };
}

/** One of each kind that has an id, by the word in its path. */
async function makeThings(server: RunningServer, headers: Headers, seed: number) {
  const job = {
    type: "command",
    input: { repository: "https://127.0.0.1:1/a.git", command: "true" },
  };
  const later = { ...job, run_at: "2999-01-01T00:00:00Z", key: "later" };
  const schedule = { name: `yearly ${seed}`, cron: "0 0 1 1 *", job };
  const make = async (path: string, body: object) => {
    const answer = await ask(server, {
      ...{ method: "POST", target: path, body: Buffer.from(JSON.stringify(body)) },
      headers: { ...headers, "content-type": "application/json" },
    });
    const { id } = JSON.parse(answer.text) as { id?: string };
    if (id === undefined) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return id;
  };
  return {
    jobs: await make("/api/jobs", later),
    schedules: await make("/api/schedules", schedule),
    bulk: await make("/api/bulk", { action: "retry", filter: { key: "none" } }),
  };
}

/** What belongs to somebody else answers like what is not there. */
async function compareForeign(
  server: RunningServer,
  { method, path }: ApiRoute,
  headers: Headers,
  ids: Readonly<Record<string, string>>,
): Promise<string[]> {
  const foreign = ids[path.split("/")[2] ?? ""];
  if (!path.includes("{id}") || foreign === undefined) return [];
  const answers: string[] = [];
  for (const id of [foreign, MISSING]) {
    const hasBody = method === "PATCH";
    const answer = await ask(server, {
      ...{ method, target: path.replace("{id}", id) },
      headers: hasBody ? { ...headers, "content-type": "application/json" } : headers,
      body: hasBody ? Buffer.from("{}") : undefined,
    });
    const problem = { ...JSON.parse(answer.text), request_id: "" };
    answers.push(`${answer.status} ${JSON.stringify(problem).replaceAll(id, "<id>")}`);
  }
  const [one = "", other = ""] = answers;
  if (one === other && one.startsWith("404")) return [];
  return [`${method} ${path}: foreign ${one}, missing ${other}`];
}

async function askAll(
  server: RunningServer,
  plan: readonly HostileRequest[],
  statuses: Map<number, number>,
): Promise<string[]> {
  const failures: string[] = [];
  const left = [...plan];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const answer = await ask(server, next).catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      const wrong = answer instanceof Error ? `no answer (${answer.message})` : whatIsWrong(answer);
      if (wrong === undefined) continue;
      const body = next.body?.toString("latin1").slice(0, 300);
      failures.push(
        `${wrong}: ${JSON.stringify({ ...next, body, target: next.target.slice(0, 300) })}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** An event stream is left as soon as it begins. */
async function ask(
  server: RunningServer,
  { method, target, headers, body }: HostileRequest,
): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  // On a connection of its own: what is left of a hostile request is the next one to the server.
  const asked = request({ hostname, port, path: target, method, headers, agent: false });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  asked.on("error", () => {}); // an answer may come before the whole body was taken
  const answer = { status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "" };
  if (answer.type.startsWith("text/event-stream")) {
    asked.destroy();
    return { ...answer, text: "" };
  }
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += chunk;
  return { ...answer, text };
}

function whatIsWrong({ status, type, text }: Answer): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status < 400 || status > 499) return `answered ${status} ${text.slice(0, 300)}`;
  if (!type.startsWith("application/problem+json")) return `answered ${status} as '${type}'`;
  const problem = JSON.parse(text) as { status?: number; code?: string };
  return problem.status === status && problem.code !== undefined ? undefined : `answered ${text}`;
}

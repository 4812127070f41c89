// A repository on a real git server, an app that watches it, and Croft's API: for tests of what the app can ask.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createWatch, type Engine, onboardApp, readWatch, startDispatching } from "@croft/engine";
import { onTestFinished } from "vitest";
import { startGitServer } from "./git-server.ts";
import { git, makeRepository, type RepositoryPlan } from "./make-repository.ts";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { engineOn } from "./scratch-engine.ts";
import { scratchServer } from "./scratch-server.ts";
import { waitUntil } from "./wait-until.ts";
import { webhookReceiver } from "./webhook-receiver.ts";

const run = promisify(execFile);

export async function watchedRepository(plan: RepositoryPlan = { files: 20, odd: true }) {
  const root = await scratchDirectory();
  const bare = await makeRepository(root, "docs", plan);
  const remote = await startGitServer(root);
  const receiver = await webhookReceiver();
  const flags = {
    ...{ "git.allowHttp": remote.host, allowPrivate: `${remote.host},${receiver.host}` },
    ...{ "watches.poll": "1s", "deliveries.retries": "20ms,20ms" },
  };
  const databaseUrl = await scratchDatabase();
  const engine = await engineOn(databaseUrl, flags);
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  const onboard = async (name: string) =>
    await onboardApp(engine, {
      ...{ name, email: "a@example.com", description: "", delivery_slots: 4 },
      base_url: receiver.url,
    });
  const query = async <T>(text: string, values: unknown[] = []) =>
    (await engine.database.pool.query(text, values)).rows as T[];
  return {
    ...{ root, bare, remote, receiver, engine, databaseUrl, flags, onboard, query },
    url: remote.url("docs"),
    ask: await asking(engine),
    watch: async (app: string, more: Partial<Parameters<typeof createWatch>[2]> = {}) => {
      const request = { url: remote.url("docs"), include: [], exclude: [], ...more };
      return (await createWatch(engine, app, request)).watch;
    },
    push: await pushing(root, bare),
    told: (id: string, commit?: string) => told(engine, id, commit),
    tip: async () => (await git(["-C", bare, "rev-parse", "main"])).trim(),
  };
}

/** Requests without a socket; bodies as bytes. */
export async function asking(engine: Engine) {
  const server = await scratchServer(engine);
  return async (
    token: string,
    method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const sent = await server.inject({
      ...{ method, url: path },
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    const json = () => JSON.parse(sent.body);
    return { status: sent.statusCode, headers: sent.headers, bytes: sent.rawPayload, json };
  };
}

/** Runs a script in a checkout, and pushes what it has changed; says which commit that made. */
async function pushing(root: string, bare: string) {
  const checkout = join(root, "checkout");
  await git(["clone", "--quiet", bare, checkout]);
  const name = ["-c", "user.name=T", "-c", "user.email=t@example.com"].join(" ");
  return async (script: string): Promise<string> => {
    const rest = `git add -A && git ${name} commit -q -m change && git push -q --force origin HEAD:main`;
    await run("/bin/sh", ["-ec", `${script}\n${rest}`], { cwd: checkout });
    return (await git(["-C", checkout, "rev-parse", "HEAD"])).trim();
  };
}

async function told(engine: Engine, id: string, commit: string | undefined): Promise<void> {
  await waitUntil("it to be told", async () => {
    const watch = await readWatch(engine.database.pool, { owner: undefined }, id);
    const isThere = commit === undefined ? watch.commit !== null : watch.commit === commit;
    return isThere && watch.undelivered === 0;
  });
}

// A running server with a repository, a signed-in browser and runs of pipelines, for the pages about them.
import type { RunDetail, RunStatus } from "@croft/contract";
import { type JobsDashboard, openJobsDashboard } from "./dashboard-jobs.ts";
import { getJson } from "./sign-in.ts";
import { waitUntil } from "./wait-until.ts";

export interface RunsDashboard extends JobsDashboard {
  /** Of this text, on the scene's repository, started as the local CLI. */
  start(text: string, rest?: Record<string, unknown>): Promise<RunDetail>;
  /** A pipeline that others use by its name. */
  store(name: string, text: string): Promise<void>;
  run(id: string): Promise<RunDetail>;
  until(id: string, status: RunStatus): Promise<RunDetail>;
}

export async function openRunsDashboard(name: string): Promise<RunsDashboard> {
  const scene = await openJobsDashboard(name);
  const { server, repository } = scene;
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  const run = async (id: string) => (await getJson(server, `/api/runs/${id}`)) as RunDetail;
  return {
    ...scene,
    run,
    start: async (text, rest = {}) =>
      (await send("POST", "/api/runs", { text, repository, ...rest })) as RunDetail,
    store: async (name, text) => void (await send("PUT", `/api/pipelines/${name}`, { text })),
    until: async (id, status) =>
      await waitUntil(
        `run ${id} to be ${status}`,
        async () => {
          const now = await run(id);
          return now.status === status ? now : undefined;
        },
        60_000,
      ),
  };
}

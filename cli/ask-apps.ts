// What the commands ask a server about apps.
import type { App, AppDetail } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { askPages } from "./ask-pages.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import { plainText } from "./terminal-text.ts";

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function askApps({ client }: ReachedServer, search?: string): Promise<App[]> {
  return await askPages(Number.POSITIVE_INFINITY, async (page) => {
    const query = { ...(search === undefined ? {} : { search }), ...page };
    const { apps, next_cursor } = requireAnswer(
      await client.GET("/api/apps", { params: { query } }),
    );
    return { items: apps, next_cursor };
  });
}

export async function askApp(server: ReachedServer, named: string): Promise<AppDetail> {
  const params = { path: { id: await findApp(server, named) } };
  return requireAnswer(await server.client.GET("/api/apps/{id}", { params }));
}

/** By its id, or by its name where only one has it. */
export async function findApp(server: ReachedServer, named: string): Promise<string> {
  if (ID.test(named)) return named;
  const found = (await askApps(server, named.slice(0, 200))).filter(({ name }) => name === named);
  const [app, ...others] = found;
  const shown = plainText(named).slice(0, 100);
  if (app === undefined) throw new EngineError("not-found", `there is no app '${shown}'`);
  if (others.length === 0) return app.id;
  const ids = found.map(({ id }) => id).join(", ");
  throw new EngineError("invalid-input", `${found.length} apps are called '${shown}': ${ids}`);
}

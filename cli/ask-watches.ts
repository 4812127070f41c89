// What the commands ask a server about watched repositories.
import type { Watch, WatchFile, WatchState } from "@croft/contract";
import { findApp } from "./ask-apps.ts";
import { askPages } from "./ask-pages.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";

/** The most that the API gives at a time. */
const FILES_PAGE_MAX = 1000;

export interface WatchFilter {
  /** By id or name. */
  readonly app?: string | undefined;
  readonly state?: WatchState | undefined;
  readonly search?: string | undefined;
}

export async function askWatches(server: ReachedServer, filter: WatchFilter): Promise<Watch[]> {
  const { state, search } = filter;
  const app = filter.app === undefined ? undefined : await findApp(server, filter.app);
  const asked = {
    ...(app === undefined ? {} : { app }),
    ...(state === undefined ? {} : { state }),
    ...(search === undefined ? {} : { search }),
  };
  return await askPages(Number.POSITIVE_INFINITY, async (page) => {
    const params = { query: { ...asked, ...page } };
    const answer = requireAnswer(await server.client.GET("/api/repositories", { params }));
    return { items: answer.watches, next_cursor: answer.next_cursor };
  });
}

export async function askWatch({ client }: ReachedServer, id: string): Promise<Watch> {
  return requireAnswer(await client.GET("/api/repositories/{id}", { params: { path: { id } } }));
}

export interface FileFilter {
  readonly prefix?: string | undefined;
  readonly search?: string | undefined;
}

/** A page at a time, all of the same commit: there may be very many. */
export async function* askFiles(
  { client }: ReachedServer,
  id: string,
  { prefix, search }: FileFilter,
): AsyncGenerator<readonly WatchFile[], void, undefined> {
  let cursor: string | null = null;
  do {
    const query: { limit: number; prefix?: string; search?: string; cursor?: string } = {
      limit: FILES_PAGE_MAX,
      ...(prefix === undefined ? {} : { prefix }),
      ...(search === undefined ? {} : { search }),
      ...(cursor === null ? {} : { cursor }),
    };
    const params = { path: { id }, query };
    const asked = await client.GET("/api/repositories/{id}/files", { params });
    const page = requireAnswer(asked);
    yield page.files;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

// How often remotes are asked when nothing changes, counted where the questions arrive.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { WatchList } from "@croft/contract";
import { addWatch, callApi, onboard } from "../../test/support/call-api.ts";
import { startServer } from "../../test/support/croft-process.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { serveGit } from "../../test/support/serve-git.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { countingReceiver } from "../counting-receiver.ts";
import { isQuick } from "../quick.ts";
import type { Scratch } from "../scratch.ts";

export const POLLED = { repositories: 10, watches: 200 };
const APPS = POLLED.watches / POLLED.repositories;
const POLL_S = 5;
const INTERVALS = isQuick ? 2 : 8;

/** Each repository is watched by many apps. */
export async function countPolls(scratch: Scratch): Promise<number> {
  const remotes = join(scratch.path, "polled");
  const names = Array.from({ length: POLLED.repositories }, (_, number) => `repository-${number}`);
  for (const name of names) await makeRepository(remotes, name, { files: 3 });
  const remote = await serveGit(remotes);
  scratch.atEnd(() => remote.close());
  const receiver = await countingReceiver(scratch);
  const server = await startServer(join(scratch.path, "polled-data"), {
    env: {
      CROFT_ALLOW_PRIVATE: `${remote.host},${receiver.host}`,
      CROFT_WATCHES_POLL: `${POLL_S}s`,
      CROFT_LOG_LEVEL: "error",
    },
  });
  scratch.atEnd(() => server.stop());
  for (let number = 0; number < APPS; number++) {
    const app = await onboard(server, `app ${number}`, receiver.url);
    await Promise.all(names.map((name) => addWatch(server, app, { url: remote.url(name) })));
  }
  await waitUntil("all first syncs", () => areAllTold(server), 120_000);
  const asked = () => remote.requests.filter(({ line }) => line.includes("info/refs")).length;
  const [before, startedAt] = [asked(), performance.now()];
  await delay(INTERVALS * POLL_S * 1000);
  const intervals = (performance.now() - startedAt) / (POLL_S * 1000);
  return Math.round(((asked() - before) / intervals) * 10) / 10;
}

async function areAllTold(server: Parameters<typeof callApi>[0]): Promise<boolean> {
  let told = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const after = cursor === undefined ? "" : `&cursor=${cursor}`;
    const path = `/api/repositories?limit=100&state=synced${after}`;
    const page: WatchList = await callApi<WatchList>(server, "GET", path);
    told += page.watches.filter(({ undelivered }) => undelivered === 0).length;
    cursor = page.next_cursor;
  }
  return told === POLLED.watches;
}

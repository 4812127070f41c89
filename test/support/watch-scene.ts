// A repository that git serves, an engine that polls it every second, and apps that keep folders of what they are told.
import { join } from "node:path";
import { createWatch, type Engine, onboardApp, readWatch, startDispatching } from "@croft/engine";
import type { CommitId } from "@croft/git";
import { expect, onTestFinished } from "vitest";
import { type FolderReceiver, serveFolder } from "./folder-receiver.ts";
import { startGitServer } from "./git-server.ts";
import type { Tree } from "./import-commits.ts";
import { git, makeRepository } from "./make-repository.ts";
import { folderOf } from "./mirrored-trees.ts";
import { differences, readCheckout } from "./read-checkout.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { scratchEngine } from "./scratch-engine.ts";
import { waitUntil } from "./wait-until.ts";

const ALL = { owner: undefined };

export interface WatchingApp {
  readonly id: string;
  readonly watchId: string;
  readonly receiver: FolderReceiver;
  /** When it has all of this commit. */
  told(commit: CommitId | undefined): Promise<void>;
  expectTree(tree: Tree | undefined): void;
  /** Types of messages that are not about files. */
  notices(): string[];
}

export async function watchScene(flags: Record<string, string> = {}, apps = 1) {
  const root = await scratchDirectory();
  const remotes = join(root, "remotes");
  const bare = await makeRepository(remotes, "docs", { files: 1 });
  const remote = await startGitServer(remotes);
  const receivers: FolderReceiver[] = [];
  for (let number = 0; number < apps; number++) {
    const receiver = await serveFolder(join(root, `folder-${number}`));
    onTestFinished(() => receiver.close());
    receivers.push(receiver);
  }
  const engine = await scratchEngine({
    allowPrivate: [remote.host, ...receivers.map(({ host }) => host)].join(),
    ...{ "watches.poll": "1s", "deliveries.retries": "20ms,50ms,100ms", "deliveries.files": "5" },
    ...flags,
  });
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  const inBare = (...args: string[]) => git(["--git-dir", bare, ...args]);
  return {
    ...{ root, remotes, bare, remote, engine, receivers, inBare },
    url: remote.url("docs"),
    move: (branch: string, commit: CommitId | undefined) =>
      inBare("update-ref", `refs/heads/${branch}`, commit ?? ""),
    watch: (number = 0, wish: { url?: string; ref?: string } = {}) =>
      watchWith(engine, receivers[number], { url: remote.url("docs"), ...wish }),
  };
}

async function watchWith(
  engine: Engine,
  receiver: FolderReceiver | undefined,
  wish: { readonly url: string; readonly ref?: string },
): Promise<WatchingApp> {
  if (receiver === undefined) throw new Error("there is no such app");
  const { id, signing_secret } = await onboardApp(engine, {
    ...{ name: `app at ${receiver.host}`, email: "a@example.com", description: "" },
    ...{ delivery_slots: 4, base_url: receiver.url },
  });
  receiver.open(signing_secret);
  const { watch } = await createWatch(engine, id, { ...wish, include: [], exclude: [] });
  return {
    ...{ id, watchId: watch.id, receiver },
    told: async (commit) => {
      await waitUntil(`${commit} to be told`, async () => {
        const now = await readWatch(engine.database.pool, ALL, watch.id);
        return now.commit === commit && now.undelivered === 0;
      });
      expect(receiver.faults).toEqual([]);
    },
    expectTree: (tree = new Map()) =>
      expect(differences(folderOf(tree), readCheckout(receiver.folderOf(watch.id)))).toEqual([]),
    notices: () =>
      receiver.requests
        .map(({ type }) => type)
        .filter((type) => type !== "files.changed" && type !== "file.chunk"),
  };
}

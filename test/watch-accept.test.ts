// Two apps watch one private repository, each by its own token, from two processes: each has it exactly, or nothing at all.
import { join } from "node:path";
import type { Watch } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { addWatch, callApi, isToldOf, onboard, storeToken } from "./support/call-api.ts";
import { runCroft, startServer } from "./support/croft-process.ts";
import { type FolderReceiver, serveFolder } from "./support/folder-receiver.ts";
import { importHidden, type Tree, treeOf } from "./support/import-commits.ts";
import { makeAuthority } from "./support/make-authority.ts";
import { git, makeRepository } from "./support/make-repository.ts";
import { folderOf } from "./support/mirrored-trees.ts";
import { randomTrees } from "./support/random-trees.ts";
import { differences, readCheckout } from "./support/read-checkout.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { serveGit } from "./support/serve-git.ts";
import { waitUntil } from "./support/wait-until.ts";

const CHANGES = 50;
const OF_FILES = ["files.changed", "file.chunk"];

async function scene() {
  const root = await scratchDirectory();
  const authority = makeAuthority(root);
  const bare = await makeRepository(join(root, "remotes"), "private", { files: 1 });
  const remote = await serveGit(join(root, "remotes"), authority.identity);
  onTestFinished(() => remote.close());
  remote.tokens = new Set(["token-of-a", "token-of-b"]);
  const receivers = [await receiver(root, "a"), await receiver(root, "b")] as const;
  const data = join(root, "data");
  const env = {
    DATABASE_URL: await scratchDatabase(),
    CROFT_GIT_CA_FILE: authority.caFile,
    CROFT_ALLOW_PRIVATE: [remote.host, ...receivers.map(({ host }) => host)].join(),
    CROFT_WATCHES_POLL: "1s",
    CROFT_DELIVERIES_RETRIES: "50ms,100ms,200ms,500ms,1s,1s,1s,1s,1s",
    CROFT_DELIVERIES_FILES: "5",
  };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const worker = runCroft(["worker", "--data", data], { env });
  onTestFinished(async () => {
    worker.child.kill("SIGTERM");
    await worker.exit;
  });
  await waitUntil("the worker", () => worker.output().includes("is ready"));
  const watchWith = async (name: string, token: string, own: FolderReceiver) => {
    const app = await onboard(server, name, own.url);
    own.open(app.signing_secret);
    const credential = await storeToken(server, app, {
      url: `https://${remote.host}`,
      value: token,
    });
    return (await addWatch(server, app, { url: remote.url("private"), credential })).id;
  };
  const move = (commit: string) =>
    git(["--git-dir", bare, "update-ref", "refs/heads/main", commit]);
  return { ...{ bare, remote, server, env, receivers, watchWith, move } };
}

async function receiver(root: string, name: string): Promise<FolderReceiver> {
  const made = await serveFolder(join(root, `folder-${name}`));
  onTestFinished(() => made.close());
  return made;
}

function expectTree(own: FolderReceiver, watchId: string, tree: Tree): void {
  expect(differences(folderOf(tree), readCheckout(own.folderOf(watchId)))).toEqual([]);
  expect(own.faults).toEqual([]);
}

/** Of the contents of files. */
function bytesTo(own: FolderReceiver): number {
  const told = own.requests.filter(({ type }) => OF_FILES.includes(type));
  return told.reduce((sum, { bytes }) => sum + bytes, 0);
}

test("each of two apps has all of 50 changes; the one whose token is revoked gets not one byte more", async () => {
  const { bare, remote, server, receivers, watchWith, move } = await scene();
  const [a, b] = receivers;
  const trees = randomTrees(seededRandom(20_261_116), CHANGES + 3);
  const commits = await importHidden(bare, trees);
  await move(commits[0] ?? "");
  const watchA = await watchWith("a", "token-of-a", a);
  const watchB = await watchWith("b", "token-of-b", b);
  const told = (watch: string, index: number) =>
    waitUntil(
      `change ${index} to be told`,
      () => isToldOf(server, watch, commits[index] ?? ""),
      60_000,
    );
  for (let index = 1; index <= CHANGES; index++) {
    const before = a.requests.length;
    await move(commits[index] ?? "");
    // Somewhere in the middle of a sync, as a rule: they come while the last ones are on their way.
    if (index % 10 === 0) await waitUntil("something", () => a.requests.length > before);
  }
  await told(watchA, CHANGES);
  await told(watchB, CHANGES);
  expectTree(a, watchA, trees[CHANGES] ?? new Map());
  expectTree(b, watchB, trees[CHANGES] ?? new Map());

  remote.tokens = new Set(["token-of-a"]);
  const bytesBefore = bytesTo(b);
  await move(commits[CHANGES + 1] ?? "");
  await told(watchA, CHANGES + 1);
  await waitUntil("the notice", () => b.requests.some(({ type }) => type === "sync.failed"));
  await move(commits[CHANGES + 2] ?? "");
  await told(watchA, CHANGES + 2);
  expectTree(a, watchA, trees[CHANGES + 2] ?? new Map());
  expect(bytesTo(b)).toBe(bytesBefore);
  expectTree(b, watchB, trees[CHANGES] ?? new Map());
  expect(a.requests.filter(({ type }) => !OF_FILES.includes(type))).toEqual([]);
  const used = new Set(remote.requests.map(({ token }) => token));
  expect([...used].sort()).toEqual(["token-of-a", "token-of-b", undefined]);
}, 180_000);

test("what is pending for an app is not sent any more when its token is revoked, and is when it has another", async () => {
  const { bare, remote, server, receivers, watchWith, move } = await scene();
  const [a, b] = receivers;
  const trees = ["one", "two", "three"].map((text) => treeOf({ "a.md": text, "dir/b.md": text }));
  const commits = await importHidden(bare, trees);
  await move(commits[0] ?? "");
  const watchA = await watchWith("a", "token-of-a", a);
  const watchB = await watchWith("b", "token-of-b", b);
  const told = (watch: string, index: number) =>
    waitUntil(`change ${index}`, () => isToldOf(server, watch, commits[index] ?? ""), 60_000);
  await told(watchA, 0);
  await told(watchB, 0);
  b.mood = (type) => (OF_FILES.includes(type) ? "refuse" : "well");
  await move(commits[1] ?? "");
  await told(watchA, 1);
  await waitUntil("its first try", () => b.requests.some(({ status }) => status === 500));
  remote.tokens = new Set(["token-of-a"]);
  const watch = () => callApi<Watch>(server, "GET", `/api/repositories/${watchB}`);
  await waitUntil("the hold", async () => (await watch()).held);
  await waitUntil("the notice", () => b.requests.some(({ type }) => type === "sync.failed"));
  const bytesBefore = bytesTo(b);
  b.mood = () => "well";
  await move(commits[2] ?? "");
  await told(watchA, 2);
  expect(bytesTo(b)).toBe(bytesBefore);
  expect((await watch()).undelivered).toBeGreaterThan(0);
  expectTree(b, watchB, trees[0] ?? new Map());

  remote.tokens = new Set(["token-of-a", "token-of-b"]);
  await told(watchB, 2);
  expectTree(b, watchB, trees[2] ?? new Map());
  const notices = b.requests.map(({ type }) => type).filter((type) => !OF_FILES.includes(type));
  expect(notices).toEqual(["sync.failed", "sync.recovered"]);
}, 180_000);

// A watch over ssh, at a real sshd: by the app's own key only, and only where the host's key is known.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startDispatching } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository } from "./support/make-repository.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { scratchEngine } from "./support/scratch-engine.ts";
import { startSshServer } from "./support/ssh-server.ts";
import { waitUntil } from "./support/wait-until.ts";
import { asking } from "./support/watched-repository.ts";
import { webhookReceiver } from "./support/webhook-receiver.ts";

async function scene(more: Record<string, string> = {}) {
  const root = await scratchDirectory();
  const bare = await makeRepository(join(root, "remotes"), "docs", { files: 5 });
  const remote = await startSshServer(root);
  const receiver = await webhookReceiver();
  const engine = await scratchEngine({
    ...{ "git.knownHosts": remote.knownHostsFile, allowPrivate: `${remote.host},${receiver.host}` },
    ...{ "watches.poll": "1s", "deliveries.retries": "20ms,20ms", ...more },
  });
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  const ask = await asking(engine);
  const body = { name: "docs", email: "a@b.example", base_url: receiver.url };
  const app = (await ask(engine.localToken, "POST", "/api/apps/onboard", { body })).json();
  const url = remote.url(bare);
  const store = async (value: string) =>
    await ask(app.token, "POST", "/api/credentials", {
      body: { kind: "ssh-key", url: `ssh://${remote.host}`, value, check_url: url },
    });
  const watch = async () =>
    await ask(app.token, "POST", "/api/repositories", { body: { url, include: [], exclude: [] } });
  return { remote, receiver, engine, store, watch, bare };
}

/** It is Debian's openssh-server, and only root may start it for another user. */
const canServe = process.getuid?.() === 0 && existsSync("/usr/sbin/sshd");

test.runIf(canServe)("with its own key an app gets every file, and every change", async () => {
  const { remote, receiver, store, watch, bare } = await scene();
  const before = await watch();
  expect(before.status).toBe(422); // without a key of its own there is no way in
  expect(before.json().detail).toContain("ssh-key");
  const strange = await store(remote.strangeKey);
  expect(strange.status).toBe(422);
  const kept = await store(remote.key);
  expect(kept.json()).toMatchObject({ state: "working" });
  expect((await watch()).status).toBe(201);
  const paths = () =>
    receiver.received.flatMap(({ body }) =>
      (body.data.files ?? []).map(({ path }: { path: string }) => path),
    );
  await waitUntil("five files", () => new Set(paths()).size === 5, 30_000);
  const tree = execFileSync("git", ["-C", bare, "rev-parse", "main^{tree}"], { encoding: "utf8" });
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  const blob = execFileSync("git", ["-C", bare, "hash-object", "-w", "--stdin"], { input: "new" });
  const entries = execFileSync("git", ["-C", bare, "ls-tree", tree.trim()], { encoding: "utf8" });
  const next = execFileSync("git", ["-C", bare, "mktree"], {
    input: `${entries}100644 blob ${blob.toString().trim()}\tnew.txt\n`,
  });
  const commit = execFileSync(
    "git",
    ["-C", bare, ...identity, "commit-tree", "-p", "main", "-m", "new", next.toString().trim()],
    { encoding: "utf8" },
  );
  execFileSync("git", ["-C", bare, "update-ref", "refs/heads/main", commit.trim()]);
  await waitUntil("the new file", () => paths().includes("new.txt"), 30_000);
});

test.runIf(canServe)("a host whose key is not known gets nothing", async () => {
  const root = await scratchDirectory();
  const { remote, store } = await scene({ "git.knownHosts": join(root, "none") });
  const refused = await store(remote.key);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.bytes.toString()).not.toContain("PRIVATE KEY");
});

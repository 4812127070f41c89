// Apps hear what changes in the repositories they watch: all of it, exactly, in order, and nothing that is not theirs.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  changeWatch,
  createWatch,
  deleteWatch,
  type Engine,
  onboardApp,
  readWatch,
  startDispatching,
} from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { startGitServer } from "./support/git-server.ts";
import { git, makeRepository } from "./support/make-repository.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { scratchEngine } from "./support/scratch-engine.ts";
import { waitUntil } from "./support/wait-until.ts";
import { type WebhookReceiver, webhookReceiver } from "./support/webhook-receiver.ts";

const ALL = { owner: undefined };
const run = promisify(execFile);

interface ToldFile {
  readonly path: string;
  readonly path_encoding?: string;
  readonly change: string;
  readonly mode?: string;
  readonly content?: string;
  readonly encoding?: string;
}

async function scene() {
  const root = await scratchDirectory();
  const bare = await makeRepository(root, "docs", { files: 40, odd: true });
  const server = await startGitServer(root);
  const receivers = [await webhookReceiver(), await webhookReceiver()] as const;
  const { host } = server;
  const allowed = [host, ...receivers.map((each) => each.host)].join(",");
  const engine = await scratchEngine({
    ...{ "git.allowHttp": host, allowPrivate: allowed, "watches.poll": "1s" },
    ...{ "deliveries.retries": "20ms,50ms,100ms", "deliveries.files": "7" },
  });
  const dispatching = await startDispatching(engine);
  onTestFinished(() => dispatching.close(1000));
  const checkout = join(root, "checkout");
  await git(["clone", "--quiet", bare, checkout]);
  for (const [key, value] of [
    ["user.name", "T"],
    ["user.email", "t@example.com"],
  ] as const) {
    await git(["-C", checkout, "config", key, value]);
  }
  const push = async (script: string) => {
    await run(
      "/bin/sh",
      [
        "-ec",
        `${script}\ngit add -A && git commit -q -m change && git push -q --force origin HEAD:main`,
      ],
      {
        cwd: checkout,
      },
    );
    return (await git(["-C", checkout, "rev-parse", "HEAD"])).trim();
  };
  const onboard = async (receiver: WebhookReceiver, name: string) =>
    await onboardApp(engine, {
      ...{ name, email: "a@example.com", description: "", delivery_slots: 4 },
      base_url: receiver.url,
    });
  return { ...{ root, bare, server, receivers, engine, push, onboard }, url: server.url("docs") };
}

/** What an app has when it applies what it was told, file by file. */
function stateOf({ received }: WebhookReceiver): Record<string, string> {
  const files = new Map<string, string>();
  const seen = new Set<string>();
  for (const { id, body } of received) {
    if (body.type !== "files.changed" || seen.has(id)) continue;
    seen.add(id);
    for (const file of (body.data.files ?? []) as readonly ToldFile[]) {
      const name = Buffer.from(
        file.path,
        file.path_encoding === "base64" ? "base64" : "utf8",
      ).toString("latin1");
      if (file.change === "deleted") files.delete(name);
      else {
        const bytes = Buffer.from(
          file.content ?? "",
          file.encoding === "base64" ? "base64" : "utf8",
        );
        files.set(name, `${file.mode} ${bytes.toString("latin1")}`);
      }
    }
  }
  return Object.fromEntries([...files].sort());
}

/** The same, from git. */
async function treeOf(bare: string, commit: string): Promise<Record<string, string>> {
  const options = { cwd: bare, encoding: "buffer", maxBuffer: 2 ** 28 } as const;
  const { stdout } = await run("git", ["ls-tree", "-r", "-z", commit], options);
  const files: [string, string][] = [];
  for (const line of stdout.toString("latin1").split("\0").filter(Boolean)) {
    const [meta = "", name = ""] = line.split("\t");
    const [mode = "", , blob = ""] = meta.split(" ");
    const content =
      mode === "160000"
        ? Buffer.alloc(0)
        : (await run("git", ["cat-file", "blob", blob], options)).stdout;
    files.push([name, `${mode} ${content.toString("latin1")}`]);
  }
  return Object.fromEntries(files.sort());
}

async function told(engine: Engine, id: string, commit: string): Promise<void> {
  await waitUntil(`${commit} to be told`, async () => {
    const watch = await readWatch(engine.database.pool, ALL, id);
    return watch.commit === commit && watch.undelivered === 0;
  });
}

test("the first sync and every change after it give exactly the tree of the commit", async () => {
  const { engine, bare, url, push, onboard, receivers } = await scene();
  const [receiver] = receivers;
  const app = await onboard(receiver, "docs");
  const first = (await git(["-C", bare, "rev-parse", "main"])).trim();
  const { watch, isNew } = await createWatch(engine, app.id, { url, include: [], exclude: [] });
  expect(isNew).toBe(true);
  expect((await createWatch(engine, app.id, { url, include: [], exclude: [] })).isNew).toBe(false);
  await told(engine, watch.id, first);
  expect(stateOf(receiver)).toEqual(await treeOf(bare, first));
  const changes = [
    "echo new > new.md; ln -s new.md link; printf '\\000\\001' > binary; : > empty",
    "git mv new.md renamed.md; chmod +x renamed.md; rm binary; mkdir binary; echo x > binary/inside",
    "rm -r binary; echo back > binary; git mv renamed.md Renamed.md",
    "printf '*.md\\n' > .croftignore",
  ];
  for (const script of changes.slice(0, 3)) {
    const commit = await push(script);
    await told(engine, watch.id, commit);
    expect(stateOf(receiver)).toEqual(await treeOf(bare, commit));
  }
  const hidden = await push(changes[3] ?? "");
  await told(engine, watch.id, hidden);
  const shown = Object.entries(await treeOf(bare, hidden)).filter(
    ([name]) => !name.endsWith(".md"),
  );
  expect(stateOf(receiver)).toEqual(Object.fromEntries(shown));
});

test("new filters bring the difference, a forced branch too, and a watch that ends is silent", async () => {
  const { engine, bare, url, push, onboard, receivers } = await scene();
  const [receiver] = receivers;
  const app = await onboard(receiver, "docs");
  const first = (await git(["-C", bare, "rev-parse", "main"])).trim();
  await push("mkdir -p docs code; echo a > docs/a.md; echo b > code/b.ts");
  const { watch } = await createWatch(engine, app.id, { url, include: ["docs/**"], exclude: [] });
  const named = () => Object.keys(stateOf(receiver));
  await waitUntil("docs", () => named().length === 1);
  expect(named()).toEqual(["docs/a.md"]);
  await changeWatch(engine, ALL, watch.id, { include: ["code/**"] });
  await waitUntil("code instead", () => named().join() === "code/b.ts");
  const forced = await push(`git reset -q --hard ${first}; mkdir code; echo c > code/c.ts`);
  await told(engine, watch.id, forced);
  expect(named()).toEqual(["code/c.ts"]);
  await deleteWatch(engine, ALL, watch.id);
  const count = receiver.received.length;
  await push("echo d > code/d.ts");
  await waitUntil("a poll without it", async () => {
    const { rows } = await engine.database.pool.query(
      "select 1 from croft.repository where polled_at > now() - interval '3 seconds' and dispatcher_id is null",
    );
    return rows.length > 0;
  });
  expect(receiver.received.length).toBe(count);
});

test("a watch whose remote is closed to it says so once, sends nothing, and goes on when it is open again", async () => {
  const { engine, bare, url, server, push, onboard, receivers } = await scene();
  const [receiver] = receivers;
  const app = await onboard(receiver, "docs");
  const { watch } = await createWatch(engine, app.id, { url, include: [], exclude: [] });
  await told(engine, watch.id, (await git(["-C", bare, "rev-parse", "main"])).trim());
  const types = () => receiver.received.map(({ body }) => body.type);
  const sent = types().length;
  server.tokens = new Set(["nobody has it"]);
  const commit = await push("echo x > x.md");
  await waitUntil("the notice", () => types().includes("sync.failed"));
  expect(await readWatch(engine.database.pool, ALL, watch.id)).toMatchObject({
    ...{ state: "failing", held: true, error: { code: "credential-refused" } },
  });
  expect(types().slice(sent)).toEqual(["sync.failed"]);
  server.tokens = undefined;
  await told(engine, watch.id, commit);
  expect(stateOf(receiver)).toEqual(await treeOf(bare, commit));
  expect(types().filter((type) => type.startsWith("sync."))).toEqual([
    "sync.failed",
    "sync.recovered",
  ]);
});

test("one question to the remote serves all watches of a repository", async () => {
  const { engine, url, server, onboard, receivers } = await scene();
  const apps = [await onboard(receivers[0], "a"), await onboard(receivers[1], "b")];
  for (const app of apps) {
    for (const ref of [undefined, "main"]) {
      await createWatch(engine, app.id, {
        url,
        include: [],
        exclude: [],
        ...(ref === undefined ? {} : { ref }),
      });
    }
  }
  const { pool } = engine.database;
  await waitUntil("all to be told", async () => {
    const { rows } = await pool.query("select 1 from croft.watch where state <> 'synced'");
    const { rows: open } = await pool.query(
      "select 1 from croft.delivery where state <> 'delivered'",
    );
    return rows.length + open.length === 0;
  });
  const asked = () => server.requests.filter(({ line }) => line.includes("info/refs")).length;
  const polls = async () => {
    const { rows } = await pool.query<{ at: Date }>("select polled_at as at from croft.repository");
    return rows[0]?.at.getTime() ?? 0;
  };
  const [before, at] = [asked(), await polls()];
  await waitUntil("another poll", async () => (await polls()) > at);
  expect(asked() - before).toBeLessThanOrEqual(2); // that one, and perhaps one more that has just begun
});

test("a filter that no sync could use is refused, and one watch's fault is not another's", async () => {
  const { engine, bare, url, onboard, receivers } = await scene();
  const [a, b] = [await onboard(receivers[0], "a"), await onboard(receivers[1], "b")];
  const bad = { url, include: ["docs/[a"], exclude: [] };
  await expect(createWatch(engine, a.id, bad)).rejects.toMatchObject({ code: "invalid-input" });
  const { watch } = await createWatch(engine, a.id, { url, include: [], exclude: [] });
  const change = { include: bad.include };
  await expect(changeWatch(engine, ALL, watch.id, change)).rejects.toMatchObject({
    code: "invalid-input",
  });
  // As if an earlier version had taken it.
  await engine.database.pool.query("update croft.watch set include = '{docs/[a}' where id = $1", [
    watch.id,
  ]);
  const { watch: other } = await createWatch(engine, b.id, { url, include: [], exclude: [] });
  await told(engine, other.id, (await git(["-C", bare, "rev-parse", "main"])).trim());
});

// `croft watch`, `croft repos` and `croft deliveries` as real commands at a real server and a real remote.
import { join } from "node:path";
import type { Delivery, Watch, WatchFile } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { runCroft, startServer } from "./support/croft-process.ts";
import { startGitServer } from "./support/git-server.ts";
import { makeRepository } from "./support/make-repository.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";
import { webhookReceiver } from "./support/webhook-receiver.ts";

async function scene() {
  const root = await scratchDirectory();
  await makeRepository(root, "docs", { files: 30, odd: true });
  const remote = await startGitServer(root);
  const receiver = await webhookReceiver();
  const data = join(root, "data");
  const env = {
    DATABASE_URL: await scratchDatabase(),
    CROFT_ALLOW_PRIVATE: `${remote.host},${receiver.host}`,
    CROFT_GIT_ALLOW_HTTP: remote.host,
  };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const croft = async (...args: string[]) => {
    const process = runCroft(args, { env: { CROFT_DATA: data } });
    const code = await process.exit;
    return { code, stdout: process.stdout(), output: process.output() };
  };
  const json = async <T>(...args: string[]) => {
    const { code, stdout, output } = await croft(...args, "--json");
    if (code !== 0) throw new Error(output);
    return JSON.parse(stdout) as T;
  };
  await croft("apps", "add", "docs", "--email", "a@b.example", "--url", receiver.url);
  return { croft, json, remote, receiver, url: remote.url("docs") };
}

test("watched, listed, shown, its files, every one again, and watched no longer", async () => {
  const { croft, json, url, receiver } = await scene();
  expect(await croft("repos")).toMatchObject({ code: 0, output: "No watched repositories.\n" });
  const flags = ["--app", "docs", "--ref", "main", "--poll", "10m"];
  const globs = ["--include", "src/**", "--include", "*.txt", "--exclude", "**/file-1.txt"];
  const made = await json<Watch>("watch", "add", url, ...flags, ...globs);
  expect(made).toMatchObject({
    ...{ url, ref: "main", poll: 600, include: ["src/**", "*.txt"], exclude: ["**/file-1.txt"] },
  });
  const again = await croft("watch", "add", url, "--app", "docs", "--ref", "main");
  expect(again).toMatchObject({ code: 0, output: expect.stringContaining("watched already") });
  const { id } = made;
  await waitUntil("it to be told", () => receiver.received.length > 0);
  expect((await croft("repos", "show", id)).stdout).toMatch(/^include +src\/\*\* \*\.txt$/m);
  for (const list of [["repos"], ["watch", "list"], ["repos", "list", "DOCS", "--app", "docs"]]) {
    expect((await croft(...list)).stdout).toMatch(
      new RegExp(`^${id}\tsynced\tmain\t[0-9a-f]{40}\t`),
    );
  }
  const none = await croft("repos", "list", "docs", "--state", "failing");
  expect(none).toMatchObject({ code: 0, stdout: "" });
  const files = await json<WatchFile[]>("repos", "files", id);
  expect(files).toHaveLength(31); // of thirty one is left out, and two of the odd ones are *.txt
  const shown = await croft("repos", "files", id, "src/", "--search", "FILE-29");
  expect(shown.stdout).toMatch(/^100644\t[0-9a-f]{40}\t\d+\tsrc\/\S+file-29\.txt\n$/);
  const count = receiver.received.length;
  expect((await croft("repos", "resync", id)).code).toBe(0);
  await waitUntil("every file again", () => receiver.received.length > count);
  expect((await croft("watch", "remove", id)).code).toBe(0);
  expect((await croft("watch", "list")).stdout).toBe("");
});

test("deliveries are listed, shown, and sent once more", async () => {
  const { croft, json, url, receiver } = await scene();
  expect(await croft("deliveries")).toMatchObject({ code: 0, output: "No deliveries.\n" });
  const { id } = await json<Watch>("watch", "add", url, "--app", "docs");
  const list = () => json<Delivery[]>("deliveries", "list", "--watch", id, "--state", "delivered");
  await waitUntil("a delivery", async () => (await list()).length > 0);
  const [first] = await list();
  const name = first?.id ?? "";
  expect((await croft("deliveries", "--app", "docs")).stdout).toMatch(
    new RegExp(`^${name}\tdelivered\tfiles.changed\t1\t`),
  );
  const { stdout } = await croft("deliveries", "show", name);
  expect(stdout).toMatch(/^created\tline\\nbreak$|^created\tline.break$/m);
  expect(stdout).toMatch(/^try 1\t\S+\t\d+ ms\t204$/m);
  const again = await croft("deliveries", "replay", name);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  await waitUntil("the copy", () =>
    receiver.received.some((message) => message.id === `msg_${again.stdout.trim()}`),
  );
});

test("what is wrong is said, and one that is missing does not keep the others", async () => {
  const { croft, json, url, remote } = await scene();
  const { id } = await json<Watch>("watch", "add", url, "--app", "docs");
  const missing = "00000000-0000-4000-8000-000000000000";
  for (const args of [
    ["watch", "add", url],
    ["watch", "add", url, "--app", "docs", "--poll", "soon"],
    ["deliveries", "--state", "odd"],
  ]) {
    expect([args, (await croft(...args)).code]).toEqual([args, 2]);
  }
  for (const [args, said] of [
    [["watch", "add", url, "--app", "nobody"], "(not-found)"],
    [["watch", "add", "https://10.0.0.1/x", "--app", "docs"], "(unsafe-address)"],
    [["watch", "add", remote.url("none"), "--app", "docs"], "(invalid-input)"],
    [["repos", "files", missing], "(not-found)"],
    [["deliveries", "replay", missing], "(not-found)"],
    [["watch", "remove", missing, id], "(not-found)"],
  ] as const) {
    const { code, output } = await croft(...args);
    expect([args, code, output]).toEqual([args, 1, expect.stringContaining(said)]);
  }
  expect((await croft("repos")).stdout).toBe("");
});

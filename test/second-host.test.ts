// Several hosts on one database: those that do not have its files do not start.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type RunningServer, runCroft, startServer } from "./support/croft-process.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { waitUntil } from "./support/wait-until.ts";

async function upload({ url, token }: RunningServer): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const asking = fetch(`${url}/api/assets?name=a`, { method: "POST", headers, body: "x" });
  return (await asking).status;
}

test("a second host with a store of its own is refused with the reason; processes that share it start", async () => {
  const root = await scratchDirectory();
  const env = { DATABASE_URL: await scratchDatabase() };
  const serve = async (name: string, more: Record<string, string> = {}) => {
    const server = await startServer(join(root, name), { env: { ...env, ...more } });
    onTestFinished(async () => void (await server.stop()));
    return server;
  };
  const isReady = async (name: string) => {
    const worker = runCroft(["worker", "--data", join(root, name)], { env });
    onTestFinished(async () => {
      worker.child.kill("SIGTERM");
      await worker.exit;
    });
    const look = () => worker.child.exitCode !== null || worker.output().includes("is ready");
    await waitUntil("its start or end", look);
    return worker.output().includes("is ready") ? true : worker;
  };
  const refused = (output: string) => {
    expect(output).toContain("(assets-elsewhere)");
    expect(output).toContain(`'${join(root, "two/assets")}' is not where`);
    expect(output).toContain("set assets.path to the same shared directory on every host");
    expect(output).not.toContain("    at "); // a stack
  };

  const one = await serve("one");
  expect(await isReady("before")).toBe(true); // nothing is stored yet: nobody can tell
  expect(await upload(one)).toBe(201);

  const two = await serve("two").catch((error: Error) => error);
  expect(two).toBeInstanceOf(Error);
  refused((two as Error).message);
  const worker = await isReady("two");
  if (worker === true) throw new Error("the worker of the second host has started");
  expect(await worker.exit).toBe(1);
  refused(worker.output());

  expect(await isReady("one")).toBe(true);
  const shared = await serve("two", { CROFT_ASSETS_PATH: join(root, "one/assets") });
  expect(await upload(shared)).toBe(201);
});

// `croft apps` as a real command at a real server: onboard, look, pause, other keys, ping, and remove.
import { join } from "node:path";
import type { App, AppDetail, OnboardedApp } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { runCroft, startServer } from "./support/croft-process.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { getJson } from "./support/sign-in.ts";
import { waitUntil } from "./support/wait-until.ts";

async function scene() {
  const data = join(await scratchDirectory(), "data");
  const env = { DATABASE_URL: await scratchDatabase(), CROFT_ALLOW_PRIVATE: "127.0.0.1:9999" };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const croft = async (...args: string[]) => {
    const process = runCroft(["apps", ...args], { env: { CROFT_DATA: data } });
    const code = await process.exit;
    return { code, stdout: process.stdout(), output: process.output() };
  };
  const mayEnter = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${server.url}/api/apps/me`, { headers })).ok;
  };
  return { server, croft, mayEnter };
}

test("onboarded, listed, shown, paused, tried, and removed when that is said twice", async () => {
  const { server, croft, mayEnter } = await scene();
  expect(await croft()).toMatchObject({ code: 0, stdout: "", output: "No apps.\n" });
  const url = "http://127.0.0.1:9999/in";
  const made = await croft("add", "docs", "--email", "a@b.example", "--url", url);
  expect(made).toMatchObject({ code: 0, output: expect.stringContaining("not shown again") });
  const token = /^token +(croft_\S+)$/m.exec(made.stdout)?.[1] ?? "";
  expect(made.stdout).toMatch(/^signing secret {2}whsec_\S+$/m);
  expect(await mayEnter(token)).toBe(true);
  expect((await croft("list")).stdout).toMatch(/^[0-9a-f-]{36}\tdocs\tactive\t0\thttp:\S+in\n$/);
  expect((await croft("show", "docs")).stdout).toMatch(/^address +http:\/\/127/m);
  const shown = async () => JSON.parse((await croft("show", "docs", "--json")).stdout) as AppDetail;
  expect(await shown()).toMatchObject({ name: "docs", email: "a@b.example" });
  expect((await croft("pause", "docs")).code).toBe(0);
  expect((await shown()).paused).toBe(true);
  expect((await croft("resume", "docs")).code).toBe(0);
  expect((await shown()).paused).toBe(false);
  expect((await croft("ping", "docs")).stdout).toMatch(/^[0-9a-f-]{36}\n$/);

  const asked = await croft("remove", "docs");
  expect(asked).toMatchObject({ code: 1, output: expect.stringContaining("say --yes") });
  expect(asked.stdout).toContain("With the app 'docs' go its tokens");
  expect(await mayEnter(token)).toBe(true);
  expect((await croft("remove", "docs", "--yes")).code).toBe(0);
  expect(await mayEnter(token)).toBe(false);
  expect((await croft("show", "docs")).output).toContain("there is no app 'docs' (not-found)");
  await waitUntil("the word of its end", () => server.output().includes("all that was its own"));
});

test("another token and another signing secret, and how long the old one stays", async () => {
  const { server, croft, mayEnter } = await scene();
  const made = await croft("add", "docs", "--email", "a@b.example", "--json");
  const { id, token } = JSON.parse(made.stdout) as OnboardedApp;
  const second = (await croft("rotate-token", id)).stdout.trim();
  expect([await mayEnter(token), await mayEnter(second)]).toEqual([true, true]);
  const third = (await croft("rotate-token", "docs", "--keep-old", "0s")).stdout.trim();
  expect([await mayEnter(second), await mayEnter(third)]).toEqual([false, true]);
  expect((await croft("rotate-token", "docs", "--keep-old", "soon")).code).toBe(2);
  expect((await croft("rotate-secret", "docs")).stdout).toMatch(/^whsec_\S+\n$/);
  const { signing_secrets } = (await getJson(server, `/api/apps/${id}`)) as AppDetail;
  expect(signing_secrets).toHaveLength(2);
});

test("two of one name are told apart by their ids; what is wrong is said", async () => {
  const { server, croft } = await scene();
  const add = async () =>
    JSON.parse((await croft("add", "twin", "--email", "a@b", "--json")).stdout) as OnboardedApp;
  const [one, other] = [await add(), await add()];
  const { code, output } = await croft("remove", "twin", "--yes");
  expect(code).toBe(1);
  for (const { id } of [one, other]) expect(output).toContain(id);
  expect((await croft("remove", one.id, "--yes")).code).toBe(0);
  const { apps } = (await getJson(server, "/api/apps")) as { apps: App[] };
  expect(apps.map(({ id }) => id)).toEqual([other.id]);
  const unsafe = await croft("add", "x", "--email", "a@b", "--url", "https://10.0.0.1/");
  expect(unsafe).toMatchObject({ code: 1, output: expect.stringContaining("(unsafe-address)") });
  expect((await croft("add", "x")).code).toBe(2);
  expect((await croft("ping", other.id)).code).toBe(1);
});

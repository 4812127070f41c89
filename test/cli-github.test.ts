// `croft github` as a real command at a real server: what came, what it started, once more, and who has the App.
import { join } from "node:path";
import type { GithubEvent, GithubEventDetails, GithubInstallation } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { runCroft, startServer } from "./support/croft-process.ts";
import { exampleOf } from "./support/example-events.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { sendEvent, signedEvent, WEBHOOK_SECRET } from "./support/signed-event.ts";
import { waitUntil } from "./support/wait-until.ts";

async function scene() {
  const data = join(await scratchDirectory(), "data");
  const env = {
    ...{ DATABASE_URL: await scratchDatabase(), CROFT_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET },
  };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const croft = async (...args: string[]) => {
    const process = runCroft(["github", ...args], { env: { CROFT_DATA: data } });
    const code = await process.exit;
    return { code, stdout: process.stdout(), output: process.output() };
  };
  const json = async <T>(...args: string[]) => {
    const { code, stdout, output } = await croft(...args, "--json");
    if (code !== 0) throw new Error(output);
    return JSON.parse(stdout) as T;
  };
  return { server, croft, json };
}

test("events are listed, shown and replayed, installations are listed", async () => {
  const { server, croft, json } = await scene();
  expect(await croft("events")).toMatchObject({ code: 0, output: "No events.\n" });
  expect(await croft("installations")).toMatchObject({ code: 0, output: "No installations.\n" });
  const payload = exampleOf("installation", "created");
  const { answer } = await sendEvent(
    server.url,
    signedEvent({ event: "installation", payload, deliveryId: "one" }),
  );
  const id = String(answer["id"]);
  await waitUntil("its end", async () => {
    const [event] = await json<GithubEvent[]>("events");
    return event?.status === "handled";
  });
  expect((await croft("events")).stdout).toMatch(
    new RegExp(`^${id}\thandled\tinstallation.created\t\\S+\t957387\t-\t\n$`),
  );
  expect(await croft("events", "--status", "failed")).toMatchObject({ code: 0, stdout: "" });
  expect(await json<GithubEvent[]>("events", "--installation", "957387")).toHaveLength(1);
  expect(await json<GithubEvent[]>("events", "--event", "push")).toEqual([]);
  const shown = await croft("show", id);
  expect(shown.stdout).toMatch(/^event +installation\.created$/m);
  expect(shown.stdout).toContain("croft/installation\tdone\n");
  expect((await json<GithubEventDetails>("show", id)).payload).toEqual(payload);
  expect(await croft("replay", id)).toMatchObject({ code: 0, stdout: `${id}\n` });
  await waitUntil("its end", async () => {
    const { status, replay } = await json<GithubEventDetails>("show", id);
    return replay === 1 && status !== "pending";
  });
  const missing = "01a1e246-c651-7000-ba6e-000000000000";
  expect(await croft("replay", missing)).toMatchObject({
    ...{ code: 1, output: expect.stringContaining("there is no such event") },
  });
  expect((await croft("installations")).stdout).toMatch(/^957387\tCodertocat\t1\t0\t0\t/);
  expect(await json<GithubInstallation[]>("installations")).toMatchObject([{ id: 957_387 }]);
});

// The credential that a pipeline names is used instead of a better fitting one, and only where it may be.
import { parseRemoteUrl } from "@croft/git";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { putCredential } from "../secrets/credential-store.ts";
import { namedCredential } from "./named-credential.ts";
import { readRun } from "./run-rows.ts";
import { startRun } from "./start-run.ts";
import { accessTo, type StepParts } from "./step-scene.ts";

const remote = parseRemoteUrl("https://example.com/acme/tools");

test("it is opened by its id, for its owner and its repository only", async () => {
  const engine = await scratchEngine();
  const { vault, config, database } = engine;
  const put = (owner: string, url: string, value: string) =>
    putCredential(vault, owner, { kind: "token", url, value });
  const host = await put("app:1", "https://example.com", "of-host");
  await put("app:1", "https://example.com/acme", "of-acme");
  const elsewhere = await put("app:1", "https://example.org", "elsewhere");
  const foreign = await put("app:2", "https://example.com", "foreign");
  const parts = { vault, config, database } as StepParts;
  const open = async (id: string | undefined) => {
    const scene = {
      parts,
      run: { owner: "app:1", root_id: null } as never,
      signal: new AbortController().signal,
    };
    const { tokens } = await accessTo(scene, remote, id);
    return (await tokens?.({ refresh: false }))?.password;
  };
  expect(await open(undefined)).toBe("of-acme");
  expect(await open(host.id)).toBe("of-host");
  for (const id of [elsewhere.id, foreign.id, "nonsense", "'; select 1"]) {
    await expect(open(id)).rejects.toMatchObject({
      ...{ failureClass: "invalid", code: "unknown-credential" },
      message: expect.stringContaining(id),
    });
  }
});

test("it is the outermost pipeline's, for the repository that this one names", async () => {
  const engine = await scratchEngine();
  const { pool } = engine.database;
  const start = async (repository?: string) => {
    const text = `
inputs: { who: { type: string, default: acme } }
repository: { url: "https://example.com/\${{ inputs.who }}/tools", credential: one }
steps: { a: { run: x } }
`;
    const id = await startRun(engine, {
      ...{ owner: "local", text, inputs: {}, priority: "normal", startedBy: "test", repository },
    });
    const run = await readRun(pool, id);
    if (run === undefined) throw new Error("no run");
    return run;
  };
  const own = await start();
  expect(await namedCredential(pool, own)).toBe("one");
  const inside = { ...(await start()), text: "steps: { b: { run: x } }", parent_id: own.id };
  await pool.query("update croft.run set parent_id = $2, text = $3 where id = $1", [
    ...[inside.id, own.id, inside.text],
  ]);
  expect(await namedCredential(pool, inside)).toBe("one");
  expect(await namedCredential(pool, await start("https://example.com/other"))).toBeUndefined();
});

// A run on a checkout goes on with the pipelines that it began with, whatever becomes of them meanwhile.
import { execFileSync } from "node:child_process";
import { decideApproval, putPipeline, removePipeline, retryRun } from "@croft/engine";
import { expect, test } from "vitest";
import { runScene } from "../../test/support/run-scene.ts";

const ALL = { owner: undefined };
const MAIN = `outputs: { before: "\${{ steps.before.outputs.v }}", after: "\${{ steps.after.outputs.v }}" }
steps:
  before: { uses: sub, outputs: [v] }
  ask: { needs: [before], approval: true }
  after: { needs: [ask], uses: sub, outputs: [v] }
`;

test("a stored pipeline that changes or goes while somebody is asked, and before a retry", async () => {
  const { start, until, engine, origin } = await runScene();
  const put = (said: string) => {
    const text = `outputs: { v: "${said}" }\nsteps:\n  x: { run: 'true' }\n`;
    return putPipeline(engine, { owner: "local", name: "sub", text, by: "test" });
  };
  const approve = (id: string) =>
    decideApproval(engine, ALL, id, { step: "ask", isApproved: true, by: "ada" });
  await put("one");
  const commit = execFileSync("git", ["-C", origin, "rev-parse", "HEAD"], { encoding: "utf8" });
  const checkout = { path: origin, commit: commit.trim() as never };
  const id = await start(MAIN, { repository: undefined, checkout });
  await until(id, "waiting");
  await put("two");
  await approve(id);
  expect(await until(id, "done")).toMatchObject({ outputs: { before: "one", after: "one" } });
  await removePipeline(engine.database, ALL, { owner: "local", name: "sub" });
  await retryRun(engine, ALL, id, "before");
  await until(id, "waiting");
  await approve(id);
  expect(await until(id, "done")).toMatchObject({ outputs: { before: "one", after: "one" } });
});

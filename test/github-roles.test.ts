// Who handles events of GitHub: servers, which have the triggers; never a worker that runs beside them.
import { startDispatching } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { inboxEngine, inboxScene } from "./support/inbox-scene.ts";
import { scratchDatabase } from "./support/scratch-database.ts";

test("a worker beside the server takes none of its events", async () => {
  const databaseUrl = await scratchDatabase();
  const worker = await inboxEngine({ databaseUrl, role: "worker" });
  const beside = await startDispatching(worker);
  onTestFinished(() => beside.close(0));
  const triggers = [{ on: "issues.opened", job: { type: "note" } }];
  const { bring, dispatch, settled, query } = await inboxScene({ databaseUrl, triggers });
  await dispatch();
  const repository = { id: 1, full_name: "a/b", clone_url: "https://github.com/a/b.git" };
  for (let nth = 1; nth <= 40; nth++) {
    const payload = { action: "opened", installation: { id: nth }, repository };
    await bring("issues", payload, `delivery-${nth}`);
  }
  await settled();
  const counts = await query("select status, count(*)::integer as n from croft.inbox group by 1");
  expect(counts).toEqual([{ status: "handled", n: 40 }]);
  expect(await query("select from croft.job")).toHaveLength(40);
});

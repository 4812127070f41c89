// The numbers of the Overview page come as the contract says.
import { Overview } from "@croft/contract";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

test("the overview has the shape of the contract, and counts the requests before it", async () => {
  const engine = await scratchEngine();
  const app = await scratchServer(engine);
  const headers = { authorization: `Bearer ${engine.localToken}` };
  await app.inject("/healthz");
  const response = await app.inject({ url: "/api/overview", headers });
  expect(response.statusCode).toBe(200);
  const overview = Overview.strict().parse(response.json());
  expect(overview).toMatchObject({
    version: "test",
    process: { pid: process.pid, node_version: process.version },
    requests: { total: 1, failed: 0 },
    admins: 0,
  });
  expect(overview.process.rss_bytes).toBeGreaterThan(1_000_000);
});

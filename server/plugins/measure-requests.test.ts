// Requests are counted by the pattern of their route, so that nobody can fill the metrics with paths.
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { measureRequests } from "./measure-requests.ts";

async function prepare() {
  const app = fastify();
  onTestFinished(() => app.close());
  const meter = measureRequests(app, "1.2.3");
  app.get("/things/:id", async () => "thing");
  app.get("/broken", async () => {
    throw new Error("broken");
  });
  const linesOf = async (name: string) =>
    (await meter.registry.metrics()).split("\n").filter((line) => line.startsWith(name));
  return { app, meter, linesOf };
}

test("a label holds the pattern, not the path", async () => {
  const { app, linesOf } = await prepare();
  for (const id of ["1", "2", "hunter2"]) await app.inject(`/things/${id}?token=hunter2`);
  const counts = await linesOf("croft_http_request_duration_seconds_count");
  expect(counts).toEqual([
    'croft_http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 3',
  ]);
});

test("whatever a scanner asks for is one label", async () => {
  const { app, linesOf } = await prepare();
  for (const path of ["/.env", "/wp-login.php", '/"} 1\nforged 1']) {
    await app.inject(encodeURI(path));
  }
  expect(await linesOf("croft_http_request_duration_seconds_count")).toEqual([
    'croft_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 3',
  ]);
  expect(await linesOf("forged")).toEqual([]);
});

test("totals count every answer, and of these the failures of ours", async () => {
  const { app, meter } = await prepare();
  expect(meter.totals()).toEqual({ total: 0, failed: 0 });
  await app.inject("/things/1");
  await app.inject("/nowhere");
  await app.inject("/broken");
  expect(meter.totals()).toEqual({ total: 3, failed: 1 });
});

test("two servers in one process do not share their numbers", async () => {
  const [first, second] = [await prepare(), await prepare()];
  await first.app.inject("/things/1");
  expect(second.meter.totals()).toEqual({ total: 0, failed: 0 });
  expect(await second.linesOf("croft_http_request_duration_seconds_count")).toEqual([]);
});

test("the version is told, and the process's own figures", async () => {
  const { linesOf, meter } = await prepare();
  expect(await linesOf("croft_info")).toEqual(['croft_info{version="1.2.3"} 1']);
  expect(await linesOf("process_resident_memory_bytes")).toHaveLength(1);
  expect(meter.eventLoopP99Ms()).toBeGreaterThanOrEqual(0);
});

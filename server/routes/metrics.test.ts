// Figures for Prometheus, for those who may read them.
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { scratchServer } from "../../test/support/scratch-server.ts";

const TOKEN = "a-token-for-the-scraper";

async function serve(flags: Record<string, string> = {}) {
  const engine = await scratchEngine(flags);
  const app = await scratchServer(engine);
  const read = (token?: string) =>
    app.inject({
      url: "/metrics",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  return { engine, read };
}

test("the metrics token and the local token read them, nobody else", async () => {
  const { engine, read } = await serve({ "metrics.token": TOKEN });
  expect((await read(TOKEN)).statusCode).toBe(200);
  expect((await read(engine.localToken)).statusCode).toBe(200);
  for (const token of [undefined, "wrong", `${TOKEN}x`]) {
    const response = await read(token);
    expect(response.statusCode).toBe(401);
    expect(response.body).not.toContain("croft_info");
  }
});

test("without a metrics token only the local one reads them", async () => {
  const { engine, read } = await serve();
  expect((await read(TOKEN)).statusCode).toBe(401);
  expect((await read("undefined")).statusCode).toBe(401);
  expect((await read(engine.localToken)).statusCode).toBe(200);
});

test("they are in Prometheus' own form and count the requests before", async () => {
  const { read } = await serve({ "metrics.token": TOKEN });
  await read();
  const { headers, body } = await read(TOKEN);
  expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(body).toContain('croft_info{version="test"} 1');
  expect(body).toContain(
    'croft_http_request_duration_seconds_count{method="GET",route="/metrics",status="401"} 1',
  );
});

// The typed client sends its token and gives back what the server said, good or bad.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "./client.ts";

/** A server that answers everything alike and remembers what it was asked. */
async function serverThatSays(status: number, body: object) {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { baseUrl: `http://127.0.0.1:${port}`, requests };
}

test("a token goes along as bearer", async () => {
  const { baseUrl, requests } = await serverThatSays(200, { needed: true });
  const { data } = await createClient({ baseUrl, token: "croft_local_x" }).GET("/api/setup");
  expect(data).toEqual({ needed: true });
  expect(requests[0]?.url).toBe("/api/setup");
  expect(requests[0]?.headers.authorization).toBe("Bearer croft_local_x");
});

test("without a token nothing is said about who asks", async () => {
  const { baseUrl, requests } = await serverThatSays(200, { needed: true });
  await createClient({ baseUrl }).GET("/api/setup");
  expect(requests[0]?.headers.authorization).toBeUndefined();
});

test("a problem is given back, not thrown", async () => {
  const problem = { code: "setup-done", status: 409 };
  const { baseUrl } = await serverThatSays(409, problem);
  const client = createClient({ baseUrl, token: "t" });
  const { data, error, response } = await client.POST("/admin/api/setup-links");
  expect(data).toBeUndefined();
  expect(error).toEqual(problem);
  expect(response.status).toBe(409);
});

test("a fetch of one's own is used, as the dashboard does", async () => {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    asked.push(request.url);
    return Response.json({ needed: false });
  };
  const client = createClient({ baseUrl: "http://croft.invalid", fetch });
  expect((await client.GET("/api/setup")).data).toEqual({ needed: false });
  expect(asked).toEqual(["http://croft.invalid/api/setup"]);
});

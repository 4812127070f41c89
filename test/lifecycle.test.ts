// What an operator's machine does to a server: rights taken away, outputs closed, clients that wait, odd paths.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { croftCommand, type RunOptions, runCroft, startServer } from "./support/croft-process.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { getJson } from "./support/sign-in.ts";
import { waitUntil } from "./support/wait-until.ts";

const isRoot = process.getuid?.() === 0;

async function serve(data: string, options: RunOptions = {}) {
  const server = await startServer(data, options);
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

test.runIf(isRoot)(
  "root without the right to look into other users' processes, as in a container, starts and adopts",
  async () => {
    const data = join(await scratchDirectory(), "data");
    const wrapper = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"];
    const first = await serve(data, { wrapper });
    const pid = await readFile(join(data, "postgres/data/postmaster.pid"), "utf8");
    process.kill(first.pid, "SIGKILL");
    await first.exit;
    const second = await serve(data, { wrapper });
    expect(await readFile(join(data, "postgres/data/postmaster.pid"), "utf8")).toBe(pid);
    expect(await second.stop()).toBe(0);
    expect(existsSync(join(data, "postgres/data/postmaster.pid"))).toBe(false);
  },
);

test("a PostgreSQL whose socket was removed is replaced at the next start", async () => {
  const data = join(await scratchDirectory(), "data");
  const first = await serve(data);
  process.kill(first.pid, "SIGKILL");
  await first.exit;
  const sockets = join(data, "postgres/socket");
  for (const name of readdirSync(sockets)) rmSync(join(sockets, name));
  const second = await serve(data);
  expect(await getJson(second, "/readyz")).toMatchObject({ status: "ready" });
});

test.each(["with, comma", "with space", "ünïcödé", "with \"quotes\" and 'more'"])(
  "a data directory named '%s' works",
  async (name) => {
    const server = await serve(join(await scratchDirectory(), name));
    expect(await getJson(server, "/readyz")).toMatchObject({ status: "ready" });
  },
);

test("a failure after the port is open ends the process, PostgreSQL included", async () => {
  const data = join(await scratchDirectory(), "data");
  await mkdir(join(data, "locks"), { recursive: true, mode: 0o711 });
  await mkdir(join(data, "run/server.json"), { recursive: true });
  const server = runCroft(["serve", "--data", data, "--http-port", "0"]);
  expect(await server.exit).toBe(1);
  expect(existsSync(join(data, "postgres/data/postmaster.pid"))).toBe(false);
});

test("a damaged announcement does not keep the server from stopping", async () => {
  const server = await startServer(join(await scratchDirectory(), "data"));
  await writeFile(join(server.data, "run/server.json"), '{"url');
  expect(await server.stop()).toBe(0);
});

test("a reader of the output that went away does not end the server", async () => {
  const data = join(await scratchDirectory(), "data");
  const child = spawn(
    process.execPath,
    [croftCommand, "serve", "--data", data, "--http-port", "0"],
    {
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  child.stdout.destroy();
  child.stderr.destroy();
  const exit = once(child, "exit");
  const announced = await waitUntil("the server's address", async () => {
    const text = await readFile(join(data, "run/server.json"), "utf8").catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as { url: string });
  });
  expect((await fetch(`${announced.url}/readyz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect((await exit)[0]).toBe(0);
});

test("a connection on which nothing was asked does not hold up the end", async () => {
  const server = await startServer(join(await scratchDirectory(), "data"), {
    env: { CROFT_SHUTDOWN_DRAIN: "1d" },
  });
  const silent = connect(Number(new URL(server.url).port), "127.0.0.1");
  onTestFinished(() => void silent.destroy());
  await once(silent, "connect");
  silent.on("error", () => {});
  await fetch(`${server.url}/healthz`); // leaves one kept alive
  expect(await server.stop()).toBe(0);
});

test("running out of file descriptors ends neither the server nor its database", async () => {
  const server = await serve(join(await scratchDirectory(), "data"), {
    wrapper: ["prlimit", "--nofile=400:400"],
  });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 450 }, () =>
    connect(port, "127.0.0.1").on("error", () => {}),
  );
  await waitUntil("the lack to be felt", () => server.output().includes("EMFILE"));
  for (const socket of sockets) socket.destroy();
  const ready = await waitUntil("the server to be well again", async () => {
    const response = await fetch(`${server.url}/readyz`).catch(() => undefined);
    return response?.status === 200;
  });
  expect(ready).toBe(true);
  expect(await server.stop()).toBe(0);
});

test("a request that had begun before SIGTERM is answered, from the database too", async () => {
  const server = await startServer(join(await scratchDirectory(), "data"));
  const { host, port } = new URL(server.url);
  const body = JSON.stringify({ email: "nobody@example.org", password: "not the password" });
  const socket = connect(Number(port), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  const head = [
    "POST /api/session HTTP/1.1",
    `host: ${host}`,
    `origin: ${server.url}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
  await waitUntil("the request to arrive", async () => {
    const { requests } = (await getJson(server, "/api/overview")) as {
      requests: { total: number };
    };
    return requests.total > 0;
  });
  const ended = server.stop();
  await waitUntil("the server to stop listening", () => server.output().includes("stopping"));
  socket.write(body.slice(10));
  await once(socket, "close");
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).toContain("wrong-credentials");
  expect(answer.toLowerCase()).toContain("connection: close");
  expect(await ended).toBe(0);
});

test("SIGTERM while a database is waited for ends at once", async () => {
  const data = join(await scratchDirectory(), "data");
  const env = { DATABASE_URL: "postgres://croft@127.0.0.1:1/croft" };
  const server = runCroft(["serve", "--data", data, "--http-port", "0"], { env });
  await waitUntil("the data directory", () => existsSync(join(data, "run/cli-token")));
  server.child.kill("SIGTERM");
  expect(await server.exit).toBe(0);
});

test("the local token is sent to this machine's address only, and not to whoever took a dead server's port", async () => {
  const data = join(await scratchDirectory(), "data");
  const server = await serve(data, { env: { CROFT_HTTP_PUBLIC_URL: "https://croft.example.org" } });
  const login = runCroft(["login", "--data", data]);
  expect(await login.exit).toBe(0);
  expect(login.stdout()).toMatch(/^https:\/\/croft\.example\.org\/setup#/);

  const address = JSON.parse(await readFile(join(data, "run/server.json"), "utf8"));
  process.kill(server.pid, "SIGKILL");
  await server.exit;
  const seen: unknown[] = [];
  const thief = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  }).listen(Number(new URL(address.url).port), "127.0.0.1");
  onTestFinished(() => void thief.close());
  await once(thief, "listening");
  const again = runCroft(["login", "--data", data]);
  expect(await again.exit).toBe(1);
  expect(again.output()).toContain("(unavailable)");
  expect(seen).toEqual([]);
  await (await startServer(data)).stop(); // ends the orphaned PostgreSQL
});

test("a directory of somebody else's is refused and keeps its mode", async () => {
  const path = await scratchDirectory();
  await writeFile(join(path, "theirs"), "");
  const server = runCroft(["serve", "--data", path, "--http-port", "0"]);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain("(data-directory-unusable)");
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

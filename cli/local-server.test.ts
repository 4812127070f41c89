// The CLI finds the server of its data directory and shows it the token file.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { announceServer, loadConfig } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { scratchDirectory } from "../test/support/scratch-directory.ts";
import { reachLocalServer } from "./local-server.ts";

async function prepare({ token }: { token: string | undefined }) {
  const data = await scratchDirectory();
  const run = join(data, "run");
  await mkdir(run);
  if (token !== undefined) await writeFile(join(run, "cli-token"), `${token}\n`);
  const sources = { flags: { data }, env: {}, directory: data, uid: 1000, home: data };
  return { data, run, config: (await loadConfig(sources)).config };
}

test("without a server the way out is told", async () => {
  const { config, data } = await prepare({ token: "t" });
  await expect(reachLocalServer(config)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`no server runs on data directory '${data}': start one with`),
  });
});

test("without a token file one is not signed in", async () => {
  const { config, run } = await prepare({ token: undefined });
  await announceServer(run, "http://127.0.0.1:1");
  await expect(reachLocalServer(config)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("the server is asked at its announced address with the token", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" }).end('{"needed":true}');
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const { config, run } = await prepare({ token: "croft_local_x" });
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  await announceServer(run, url);
  const reached = await reachLocalServer(config);
  expect(reached.url).toBe(url);
  expect((await reached.client.GET("/api/setup")).data).toEqual({ needed: true });
  expect(seen).toEqual(["Bearer croft_local_x"]);
});

test("the address that a killed server left behind is said to be no server, without a stack", async () => {
  const { data, run } = await prepare({ token: "t" });
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const left = { url: "http://127.0.0.1:1", pid: gone.pid };
  await writeFile(join(run, "server.json"), JSON.stringify(left));
  const url = pathToFileURL(join(import.meta.dirname, "commands/login.ts")).href;
  const script = `import { createCommand } from ${JSON.stringify(url)};
    await createCommand().parseAsync(["--data", process.argv[1]], { from: "user" });`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, data];
  const options = { cwd: import.meta.dirname, env: { PATH: process.env["PATH"], NO_COLOR: "1" } };
  const login = promisify(execFile)(process.execPath, args, options);
  await expect(login).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^croft: .*\(unavailable\)\n$/),
  });
});

// `croft assets` as a real command at a real server: list, put, get and delete, and no way out of the chosen directory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Asset } from "@croft/contract";
import { expect, onTestFinished, test } from "vitest";
import { croftCommand, runCroft, startServer } from "./support/croft-process.ts";
import { CTRL_C, runInTerminal } from "./support/run-in-terminal.ts";
import { scratchDatabase } from "./support/scratch-database.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { stallingProxy } from "./support/stalling-proxy.ts";
import { waitUntil } from "./support/wait-until.ts";

async function scene() {
  const directory = await scratchDirectory();
  const data = join(directory, "data");
  const env = { DATABASE_URL: await scratchDatabase() };
  const server = await startServer(data, { env });
  onTestFinished(async () => void (await server.stop()));
  const cwd = join(directory, "here");
  mkdirSync(cwd);
  const croft = async (...args: string[]) => {
    const process = runCroft(["assets", ...args], { env: { CROFT_DATA: data }, cwd });
    const code = await process.exit;
    return { code, stdout: process.stdout(), output: process.output() };
  };
  const put = async (...args: string[]) => {
    const { code, stdout, output } = await croft("put", ...args, "--json");
    if (code !== 0) throw new Error(output);
    return JSON.parse(stdout) as Asset;
  };
  return { croft, put, cwd, data, server };
}

test("put, listed by what it is, got whole, and removed", async () => {
  const { croft, put, cwd, data } = await scene();
  expect(await croft("list")).toMatchObject({ code: 0, stdout: "", output: "No assets.\n" });
  writeFileSync(join(cwd, "report.html"), "<!doctype html><h1>ü</h1>");
  const page = await put("report.html", "--source-task-id", "t-1", "--commit", "a".repeat(40));
  expect(page).toMatchObject({ name: "report.html", media_type: "text/html", kind: "upload" });
  writeFileSync(join(cwd, "large.bin"), Buffer.alloc(5_000_000, "0123456789abcdef\0"));
  const large = (await croft("put", "large.bin", "--name", "other.bin")).stdout.trim();
  const listed = await croft("list", "--type", "text", "--search", "REPORT");
  expect(listed.stdout).toMatch(
    new RegExp(`^${page.id}\tupload\t26\ttext/html\t\\S+\treport.html\n$`),
  );
  const both = JSON.parse((await croft("list", "--json")).stdout) as Asset[];
  expect(both.map(({ id }) => id)).toEqual([large, page.id]);
  expect((await croft("list", "--source-task-id", "none")).output).toBe("No assets.\n");

  expect((await croft("get", large)).output).toMatch(/^Saved .*other\.bin \(4\.8 MiB\)\.\n$/);
  expect(readFileSync(join(cwd, "other.bin")).equals(readFileSync(join(cwd, "large.bin")))).toBe(
    true,
  );
  expect((await croft("get", page.id, "-o", "-")).stdout).toBe("<!doctype html><h1>ü</h1>");
  expect((await croft("get", page.id, "-o", "new/dir/")).code).toBe(0);
  expect((await croft("get", page.id, "-o", "new/page.html")).code).toBe(0);
  expect(readdirSync(join(cwd, "new"), { recursive: true }).sort()).toEqual(
    ["dir", "dir/report.html", "page.html"].sort(),
  );

  const piped = spawn(process.execPath, [croftCommand, "assets", "put", "-", "--name", "piped"], {
    env: { PATH: process.env["PATH"] ?? "", CROFT_DATA: data },
    stdio: ["pipe", "pipe", "inherit"],
  });
  piped.stdin.end("from a pipe");
  const [code] = await once(piped, "close");
  expect(code).toBe(0);

  expect((await croft("delete", page.id, large)).code).toBe(0);
  expect((await croft("get", page.id)).output).toContain("there is no such asset (not-found)");
  expect((await croft("delete", page.id)).code).toBe(1);
});

test("a name that leads elsewhere, a file that is there, and a link are left alone", async () => {
  const { croft, put, cwd } = await scene();
  const outside = join(cwd, "..", "outside");
  writeFileSync(outside, "mine");
  writeFileSync(join(cwd, "evil"), "evil");
  const { id } = await put("evil", "--name", "../outside");
  expect((await croft("get", id)).code).toBe(0);
  expect(readFileSync(join(cwd, "__outside"), "utf8")).toBe("evil");

  const again = await croft("get", id);
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining("is there already") });
  symlinkSync(outside, join(cwd, "link"));
  expect((await croft("get", id, "-o", "link")).code).toBe(1);
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect((await croft("get", id, "-o", "link", "--force")).code).toBe(0);
  expect(lstatSync(join(cwd, "link")).isSymbolicLink()).toBe(false);
  expect(readFileSync(outside, "utf8")).toBe("mine");
  expect(readdirSync(cwd).sort()).toEqual(["__outside", "evil", "link"]);
});

test("a name that somebody chose is taken as it is", async () => {
  const { croft, put, cwd } = await scene();
  writeFileSync(join(cwd, "note"), "x");
  const { id } = await put("note", "--name", ".env");
  for (const name of [".env", "aux", "a b.", "new/.hidden"]) {
    expect((await croft("get", id, "-o", name)).output).toContain(join(cwd, name));
    expect(readFileSync(join(cwd, name), "utf8")).toBe("x");
  }
  expect((await croft("get", id)).code).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual([".env", "_env", "a b.", "aux", "new", "note"]);
  for (const [name, reason] of [
    ["gone/..", "is there already"],
    ["x".repeat(300), "the name is too long"],
  ] as const) {
    const refused = await croft("get", id, "-o", name);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(reason) });
  }
});

async function stalledScene() {
  const { put, cwd, server } = await scene();
  writeFileSync(join(cwd, "large.bin"), Buffer.alloc(5_000_000, 7));
  const { id } = await put("large.bin");
  const directory = join(cwd, "out");
  mkdirSync(directory);
  const url = await stallingProxy(server.url, 1_000_000);
  const env = { CROFT_URL: url, CROFT_TOKEN: server.token };
  const args = ["assets", "get", id, "-o", "out/"];
  const hasBegun = () =>
    readdirSync(directory).some((name) => lstatSync(join(directory, name)).size > 500_000);
  return { args, env, cwd, directory, hasBegun };
}

test("Ctrl-C in the middle of a download leaves nothing of it behind", async () => {
  const { args, env, cwd, directory, hasBegun } = await stalledScene();
  const process = runCroft(args, { env, cwd });
  await waitUntil("a part of it", hasBegun);
  process.child.kill("SIGINT");
  expect(await process.exit).toBe(1);
  expect(readdirSync(directory)).toEqual([]);
});

test("on a terminal a download shows how far it is, and Ctrl-C takes that away again", async () => {
  const { args, env, cwd, directory, hasBegun } = await stalledScene();
  const { shown, type, exit } = runInTerminal(args, { env, cwd });
  await waitUntil("a part of it", hasBegun);
  await waitUntil("the bar", () =>
    /large\.bin {2}[█░]{20} +\d+ % {2}\S+ \w+ of 4\.8 MiB/.test(shown()),
  );
  type(CTRL_C);
  expect(await exit).toBe(1);
  expect(shown()).toContain("\x1b[?25llarge.bin");
  expect(shown()).toMatch(/croft: SIGINT\r\n$/);
  expect(shown()).toContain("\x1b[1A\r\x1b[J\x1b[?25hcroft:"); // the line is gone, the cursor back
  expect(readdirSync(directory)).toEqual([]);
});

test("what cannot be sent is told", async () => {
  const { croft, cwd } = await scene();
  expect((await croft("put", "missing")).output).toContain("'missing' cannot be read");
  expect((await croft("put", ".")).output).toContain("'.' is a directory");
  expect((await croft("put", "-")).output).toContain("needs a --name");
  writeFileSync(join(cwd, "large"), Buffer.alloc(10 * 1024 * 1024 + 1));
  const refused = await croft("put", "large");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("(too-large)") });
  expect((await croft("get", "x")).code).toBe(1);
  expect(existsSync(join(cwd, "x"))).toBe(false);
});

// The shell that starts small programs: what it is told arrives word for word, and it is never the one that stays behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { readProcessState } from "./process-state.ts";
import { ToolShell } from "./tool-shell.ts";

const isAlive = (pid: number) => readProcessState(String(pid))?.isAlive === true;

/** The process whose number a script wrote. */
async function readPid(path: string): Promise<number> {
  return await waitUntil("a process number", () => {
    try {
      return Number(readFileSync(path, "utf8").trim()) || undefined;
    } catch {
      return undefined; // not written yet
    }
  });
}

test("words arrive as they are, whatever is in them", async () => {
  const words = [
    "",
    " ",
    "a'b",
    `"$HOME" \`id\` $(id) \\`,
    "two\nlines\n",
    "; exit 3 #",
    "-n",
    "ü",
  ];
  const { exitCode, said } = await new ToolShell().run("printf", ["[%s]", ...words]);
  expect({ exitCode, said }).toEqual({
    exitCode: 0,
    said: words.map((word) => `[${word}]`).join(""),
  });
});

test("a program runs in the directory that is named, and says how it went on either stream", async () => {
  const shell = new ToolShell();
  const cwd = await scratchDirectory();
  expect(await shell.run("pwd", [], { cwd })).toEqual({ exitCode: 0, said: `${cwd}\n` });
  const loud = ["-c", "echo out; echo error >&2; exit 7"];
  expect(await shell.run("sh", loud)).toEqual({ exitCode: 7, said: "out\nerror\n" });
  expect((await shell.run("no-such-program", [])).exitCode).toBe(127);
  const nowhere = join(cwd, "nowhere");
  expect((await shell.run("pwd", [], { cwd: nowhere })).exitCode).not.toBe(0);
});

test("commands are carried out one after the other, in the order in which they were given", async () => {
  const shell = new ToolShell();
  const path = join(await scratchDirectory(), "order");
  const numbers = Array.from({ length: 20 }, (_, number) => String(number));
  const append = (number: string) => shell.run("sh", ["-c", `echo ${number} >> ${path}`]);
  await Promise.all(numbers.map(append));
  expect(readFileSync(path, "utf8").trim().split("\n")).toEqual(numbers);
});

test("a command that takes too long is ended, and the next one is carried out", async () => {
  const shell = new ToolShell();
  const path = join(await scratchDirectory(), "pid");
  const endless = shell.run("sh", ["-c", `echo $$ > ${path}; sleep 1000`], { timeoutMs: 500 });
  const next = shell.run("echo", ["next"]);
  expect(await endless).toEqual({ exitCode: -1, said: "no answer within 500 ms" });
  expect(await next).toEqual({ exitCode: 0, said: "next\n" });
  const pid = await readPid(path);
  await waitUntil("its end", () => !isAlive(pid));
});

test("a shell that was killed is replaced", async () => {
  const shell = new ToolShell();
  const { said } = await shell.run("sh", ["-c", "echo $PPID"]);
  const pid = Number(said);
  process.kill(pid, "SIGKILL");
  await waitUntil("its end", () => !isAlive(pid));
  // That it has ended is told a moment later.
  await waitUntil("another", async () => (await shell.run("true", [])).exitCode === 0);
  expect(await shell.run("echo", ["again"])).toEqual({ exitCode: 0, said: "again\n" });
  expect((await shell.run("sh", ["-c", "kill -9 $PPID"])).exitCode).toBe(-1);
  expect(await shell.run("echo", ["again"])).toEqual({ exitCode: 0, said: "again\n" });
});

test.each([
  ["was killed", "setInterval(() => {}, 1000);"],
  ["has nothing more to do", ""],
])("a process that %s leaves no shell behind", async (_, after) => {
  const path = join(await scratchDirectory(), "pid");
  const script = `
    import { ToolShell } from ${JSON.stringify(join(import.meta.dirname, "tool-shell.ts"))};
    await new ToolShell().run("sh", ["-c", ${JSON.stringify(`echo $PPID > ${path}`)}]);
    ${after}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: "inherit" });
  const ended = once(child, "exit");
  const pid = await readPid(path);
  if (after !== "") child.kill("SIGKILL");
  await ended;
  await waitUntil("the end of its shell", () => !isAlive(pid));
});

test("where no shell can be started the outcome says so, and the next try is a new one", async () => {
  const script = `
    import { openSync, closeSync } from "node:fs";
    import { ToolShell } from ${JSON.stringify(join(import.meta.dirname, "tool-shell.ts"))};
    const shell = new ToolShell();
    const open = [];
    try { for (;;) open.push(openSync("/dev/null")); } catch {}
    const first = await shell.run("echo", ["first"]);
    for (const descriptor of open) closeSync(descriptor);
    const second = await shell.run("echo", ["second"]);
    console.log(JSON.stringify([first, second]));`;
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script];
  const limited = ["-c", 'ulimit -n 100; exec "$@"', "sh", ...node];
  const child = spawn("sh", limited, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  expect(JSON.parse(output)).toEqual([
    { exitCode: -1, said: "spawn sh EMFILE" },
    { exitCode: 0, said: "second\n" },
  ]);
});

// A process with all that it has started: found by its children, told by a trace, ended as a whole.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../../test/support/wait-until.ts";
import { familyOf, killFamily, traceOfChildren } from "./process-family.ts";
import { readProcessState } from "./process-state.ts";
import { descendantsOf, findMarked, markedProcesses, WORKSPACE_VARIABLE } from "./process-tree.ts";

/** A shell that runs each line it is given. */
function shell(env: Readonly<Record<string, string>> = {}) {
  const child = spawn("/bin/sh", [], {
    ...{ stdio: ["pipe", "pipe", "ignore"], detached: true },
    env: { PATH: process.env["PATH"], ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { pid } = child;
  if (pid === undefined) throw new Error("no shell");
  const say = async (line: string) => {
    child.stdin.write(`${line}\n`);
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    return said.toString("utf8").trim();
  };
  return { child, pid, say };
}

const isAlive = (pid: number) => readProcessState(pid)?.isAlive === true;

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

test("the family is all that descends from a process, as a look at everybody tells it", async () => {
  const { pid, say } = shell();
  expect(familyOf(pid)).toEqual([]);
  await say("sh -c 'sleep 1000 & echo $!; wait' &");
  await waitUntil("two generations", () => familyOf(pid).length === 2);
  expect(familyOf(pid)).toEqual(descendantsOf(pid));
});

test("the trace is another one after a child that came and went, and is not told while one lives", async () => {
  const { pid, say } = shell();
  await say("echo begun");
  const before = traceOfChildren(pid);
  expect(before).toBe(0);
  await say("echo still");
  expect(traceOfChildren(pid)).toBe(before);
  await say("/bin/true; echo over");
  expect(traceOfChildren(pid)).toBeGreaterThan(0);
  await say("sleep 1000 & echo $!");
  expect(traceOfChildren(pid)).toBeUndefined();
  killFamily(pid);
});

test("of one that has ended nothing is told: its children are somebody else's", async () => {
  const { child, pid, say } = shell();
  const left = Number(await say("setsid sleep 1000 > /dev/null & echo $!"));
  onTestFinished(() => void process.kill(left, "SIGKILL"));
  child.kill("SIGKILL");
  await waitUntil("its end", () => !isAlive(pid));
  expect(traceOfChildren(pid)).toBeUndefined();
  expect(isAlive(left)).toBe(true);
  await gone(child);
});

test("a family ends as a whole, also who has left the group, and also one that is starting others", async () => {
  const mark = `/nowhere/${process.pid}/crowd`;
  const { child, pid, say } = shell({ [WORKSPACE_VARIABLE]: mark });
  const away = Number(await say("setsid sleep 1000 > /dev/null & echo $!"));
  const many = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); sleep 1000 & done; wait";
  await say(`sh -c 'echo begun; ${many}' &`);
  await waitUntil("a crowd", () => familyOf(pid).length > 5);
  expect(familyOf(pid)).toContain(away);
  killFamily(pid);
  await gone(child);
  const living = async () => (await findMarked(mark, process.getuid?.() ?? 0)).filter(isAlive);
  await waitUntil("the end of all", async () => (await living()).length === 0);
});

test("who was started for a directory is found in pieces as at once", async () => {
  const mark = `/nowhere/${process.pid}`;
  const { pid, say } = shell({ [WORKSPACE_VARIABLE]: mark });
  const left = Number(await say("(setsid sleep 1000 > /dev/null & echo $!)"));
  onTestFinished(() => void process.kill(left, "SIGKILL"));
  const uid = process.getuid?.() ?? 0;
  await waitUntil("its program", () => readProcessState(left)?.program === "sleep");
  const all = markedProcesses(new Set([uid])).filter(({ workspace }) => workspace === mark);
  expect(all.map((one) => one.pid).sort()).toEqual([pid, left].sort());
  expect((await findMarked(mark, uid)).sort()).toEqual([pid, left].sort());
});

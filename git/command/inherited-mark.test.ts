// Who is found by the mark that it was started with, whatever it has done since.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../../test/support/wait-until.ts";
import { inheritedMark, markingScript, readInheritedMark } from "./inherited-mark.ts";
import { readProcessState } from "./process-state.ts";
import { findMarked, findProcessesIn, processesIn } from "./process-tree.ts";

const uid = process.getuid?.() ?? 0;

test.each(["/bin/sh", "/bin/bash"].filter(existsSync))(
  "a daemon that %s has started is found, though it has nothing else of the directory",
  async (shell) => {
    const directory = `/nowhere/${process.pid}${shell}`;
    const script = `${markingScript(directory)}; setsid sleep 1000 >/dev/null 2>&1 & echo $!`;
    const child = spawn(shell, ["-c", script], { cwd: "/", env: {} });
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number(said.toString("utf8"));
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    await waitUntil("its program", () => readProcessState(pid)?.program === "sleep");
    expect(readInheritedMark(pid)).toBe(inheritedMark(directory));
    expect(await findMarked(directory, uid)).toEqual([pid]);
    expect(await findProcessesIn([directory], uid)).toEqual([pid]);
    expect(processesIn(["/elsewhere", directory], uid)).toEqual([pid]);
    expect(processesIn([`${directory}/other`], uid)).toEqual([]);
    expect(processesIn([directory], uid + 1)).toEqual([]);
  },
);

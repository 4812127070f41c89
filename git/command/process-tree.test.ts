// Who counts as left in a directory: whoever has a file open there, but no Croft that clears up.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { processesIn, WORKSPACE_VARIABLE } from "./process-tree.ts";

const uid = process.getuid?.() ?? 0;

/** A process with a file open in the directory, which says when it is so far. */
async function openIn(directory: string, before = "", env: Record<string, string> = {}) {
  const script = `${before}
    const { openSync } = await import("node:fs");
    openSync(${JSON.stringify(join(directory, "file"))}, "w");
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--import=tsx", "--input-type=module", "-e", script], {
    cwd: projectRoot,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? -1;
}

test.runIf(process.platform === "linux")(
  "another Croft that has a file open there is left alone, all others are found",
  async () => {
    const root = await scratchDirectory();
    const directory = join(root, "workspace");
    mkdirSync(directory);
    const module = pathToFileURL(join(projectRoot, "git/lock/life-lock.ts")).href;
    const claim = `
      const { claimLife } = await import(${JSON.stringify(module)});
      await claimLife(${JSON.stringify(join(root, "data/locks"))});`;
    const mark = { [WORKSPACE_VARIABLE]: directory };
    const [stranger, croft, croftInJob] = await Promise.all([
      openIn(directory),
      openIn(directory, claim),
      openIn(directory, claim, mark), // a job may run a Croft of its own: that ends with the job
    ]);
    const found = processesIn([directory], uid);
    expect(found).toContain(stranger);
    expect(found).toContain(croftInJob);
    expect(found).not.toContain(croft);
    expect(processesIn([directory], uid + 1)).toEqual([]);
  },
);

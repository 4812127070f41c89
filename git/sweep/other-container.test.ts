// Containers that share a volume see each other's processes under other numbers, or not at all: a sweep must know who lives.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../../test/support/find-leftovers.ts";
import { makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";

const INDEX = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../index.ts")).href);
const HOLD = `import { openGit, parseRemoteUrl } from ${INDEX};
  const [data, origin] = process.argv.slice(1);
  const git = await openGit({ data });
  const repository = parseRemoteUrl(origin, { allowLocal: true });
  const workspace = await git.workspaces.create({ repository, name: "live", owner: { owner: "local" }, kind: "clone" });
  process.stdout.write(workspace.path + "\\n");
  setInterval(() => {}, 1000);`;
const SWEEP = `import { openGit } from ${INDEX};
  const git = await openGit({ data: process.argv[1] });
  process.stdout.write(JSON.stringify(await git.sweep()));
  await git.close();
  process.exit(0);`;

function start(script: string, args: readonly string[], wrapper: readonly string[] = []) {
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", script];
  const [program = "", ...rest] = [...wrapper, ...node, ...args];
  const child = spawn(program, rest, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  return output;
}

test.runIf(process.getuid?.() === 0)(
  "a sweep in another process namespace leaves the living alone, and clears up after the dead",
  async () => {
    const root = await scratchDirectory();
    const origin = await makeRepository(join(root, "remotes"), "app", { files: 5 });
    const data = join(root, "data");
    const living = start(HOLD, [data, origin]);
    const [chunk] = await once(living.stdout, "data");
    const path = String(chunk).trim();
    const elsewhere = ["unshare", "--pid", "--fork", "--mount", "--mount-proc"];
    const first = JSON.parse(await outputOf(start(SWEEP, [data], elsewhere)));
    expect(first).toMatchObject({ removed: [], failed: [] });
    expect(existsSync(join(path, ".git"))).toBe(true);

    living.kill("SIGKILL");
    await once(living, "exit");
    const second = JSON.parse(await outputOf(start(SWEEP, [data], elsewhere)));
    expect(second.removed).toContain(path);
    expect(findLeftovers(data)).toEqual([]);
  },
);

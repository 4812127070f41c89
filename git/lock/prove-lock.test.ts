// The proof of the lock says that this machine is safe, and would say so if it were not.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { LockFile } from "./lock-file.ts";
import { proveLock } from "./prove-lock.ts";

test("a second process is kept out and its lock freed, and nothing is left behind", async () => {
  const scratch = await scratchDirectory();
  expect(await proveLock(scratch)).toMatchObject({ outcome: "safe" });
  expect(readdirSync(scratch)).toEqual([]);
});

test("locks that do not lock are unsafe, and so is a directory that cannot be used", async () => {
  const scratch = await scratchDirectory();
  vi.spyOn(LockFile.prototype, "tryLock").mockReturnValue(true); // as some network filesystems do
  const proof = await proveLock(scratch);
  vi.restoreAllMocks();
  expect(proof).toEqual({
    outcome: "unsafe",
    detail: "a second process took a lock that was held",
  });
  expect(await proveLock(join(scratch, "missing"))).toMatchObject({
    outcome: "unsafe",
    detail: expect.stringContaining("no such file or directory"),
  });
  expect(readdirSync(scratch)).toEqual([]);
});

test("it also works from a bundle, beside which the packages are", async () => {
  const scratch = await scratchDirectory();
  await symlink(join(projectRoot, "node_modules"), join(scratch, "node_modules"));
  const bundle = join(scratch, "dist/prove-lock.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "prove-lock.ts")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  const script = join(scratch, "run.mjs");
  await writeFile(
    script,
    `import { proveLock } from ${JSON.stringify(pathToFileURL(bundle).href)};
    console.log((await proveLock(${JSON.stringify(scratch)})).outcome);`,
  );
  expect(execFileSync(process.execPath, [script], { cwd: "/", encoding: "utf8" })).toBe("safe\n");
});

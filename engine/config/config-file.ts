// Finds croft.config.ts, bundles it with esbuild and imports it.
import { existsSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, Plugin } from "esbuild";
import { EngineError } from "../engine-error.ts";
import { apartSchemaNames } from "./apart-schema-names.ts";

const NAMES = ["croft.config.ts", "croft.config.mts", "croft.config.js", "croft.config.mjs"];

export interface ConfigFile {
  readonly file: string;
  /** Its default export. */
  readonly exported: unknown;
  /** All of it as one module. */
  readonly code: string;
}

export function findConfigFile(directory: string): string | undefined {
  return NAMES.map((name) => join(directory, name)).find((path) => existsSync(path));
}

/** It is a program that runs as us: another user's, met in a directory of his, must be meant. */
export function requireTrusted(path: string, uid: number | undefined): void {
  const owner = statSync(path).uid;
  if (uid === undefined || owner === uid || owner === 0) return;
  throw new EngineError(
    "config-invalid",
    `'${path}' belongs to another user, and is a program: name it with --config if you trust it, or work in another directory`,
  );
}

/**
 * Bundled rather than loaded by a TypeScript loader: works with and without `"type": "module"`, with top-level await,
 * and the result can be imported by child processes that know no TypeScript.
 */
export async function importConfigFile(path: string): Promise<ConfigFile> {
  const directory = await mkdtemp(join(tmpdir(), "croft-config-"));
  const outfile = join(directory, "config.mjs");
  try {
    const { build } = await import("esbuild"); // only who has such a file waits for it
    await build({
      entryPoints: [path],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      sourcemap: "inline",
      sourceRoot: `${pathToFileURL(directory).href}/`, // its code is loaded from elsewhere, too
      banner: { js: requireFor(path) },
      logLevel: "silent",
      conditions: [], // packages as Node would choose them, not a bundler
      mainFields: ["main"],
      plugins: [keepOwnAddress, provideCroft, importPackagesInPlace],
    });
    const { href } = pathToFileURL(outfile);
    const module: { default?: unknown } = await apartSchemaNames(() => import(href));
    if (module.default === undefined) {
      throw new EngineError("config-invalid", `'${path}' has no default export`);
    }
    return { file: path, exported: await module.default, code: await readFile(outfile, "utf8") };
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineError("config-invalid", `cannot load '${path}': ${reason}`, { cause: error });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** CommonJS files say `require`, which an ES module does not have. */
function requireFor(path: string): string {
  const from = JSON.stringify(pathToFileURL(path).href);
  return `import { createRequire as croftRequire } from "node:module"; const require = croftRequire(${from});`;
}

/** Each source keeps what `import.meta` told it before bundling. */
const keepOwnAddress: Plugin = {
  name: "keep-own-address",
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\.[cm]?[jt]s$/, namespace: "file" }, async ({ path }) => {
      const define = {
        "import.meta.url": JSON.stringify(pathToFileURL(path).href),
        "import.meta.dirname": JSON.stringify(dirname(path)),
        "import.meta.filename": JSON.stringify(path),
        __dirname: JSON.stringify(dirname(path)),
        __filename: JSON.stringify(path),
      };
      const source = await readFile(path, "utf8");
      try {
        const { code } = await esbuild.transform(source, {
          loader: /ts$/.test(extname(path)) ? "ts" : "js",
          sourcefile: path,
          sourcemap: "inline",
          define,
        });
        return { contents: code, loader: "js", resolveDir: dirname(path) };
      } catch (error) {
        return { errors: (error as BuildFailure).errors };
      }
    });
  },
};

/**
 * `import { defineConfig, z } from "croft"` works also where croft is not installed in the project; `z` is the product's own,
 * by its address, because the code is imported from elsewhere.
 */
const provideCroft: Plugin = {
  name: "provide-croft",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^croft$/ }, () => ({ path: "croft", namespace: "croft" }));
    onResolve({ filter: /^file:/, namespace: "croft" }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: "croft" }, () => ({
      contents: `export { z } from ${JSON.stringify(zodAddress())};
        export const defineConfig = (config) => config;
        export const defineHandler = (handler) => handler;`,
    }));
  },
};

/** The product has it beside itself, in one file. */
function zodAddress(): string {
  const isSource = import.meta.url.endsWith(".ts");
  return isSource ? import.meta.resolve("zod") : new URL("./project-zod.js", import.meta.url).href;
}

/** Packages stay outside the bundle, named by their file, because the bundle lies in another directory. */
const importPackagesInPlace: Plugin = {
  name: "import-packages-in-place",
  setup({ onResolve, resolve: resolveImport }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind === "entry-point" || pluginData === "resolved" || path.startsWith("node:"))
        return null;
      const found = await resolveImport(path, { kind, resolveDir, pluginData: "resolved" });
      const isPackage = found.path.includes("/node_modules/"); // else a name that package.json maps to a source
      if (found.errors.length > 0 || found.external || !isPackage) return found;
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

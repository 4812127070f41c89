// A project's croft.config.ts is loaded whatever kind of project it lies in.
import { execFile } from "node:child_process";
import { chownSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { findConfigFile, importConfigFile, requireTrusted } from "./config-file.ts";
import { loadConfig } from "./load-config.ts";

/** Writes a project's files and returns its directory. */
async function project(files: Record<string, string>): Promise<string> {
  const directory = await scratchDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

async function exportOf(path: string): Promise<unknown> {
  return (await importConfigFile(path)).exported;
}

async function importFrom(files: Record<string, string>, name = "croft.config.ts") {
  return await exportOf(join(await project(files), name));
}

/** As the built product does it: the test runner's own loader understands more than Node. */
async function importInPlainNode(files: Record<string, string>): Promise<unknown> {
  const directory = await project(files);
  const script = join(await scratchDirectory(), "load.mjs");
  await build({
    stdin: {
      contents: `import { importConfigFile } from "./config-file.ts";
        process.stdout.write(JSON.stringify((await importConfigFile(process.argv[2])).exported));`,
      resolveDir: import.meta.dirname,
    },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["esbuild"],
  });
  const esbuild = createRequire(import.meta.url).resolve("esbuild/package.json");
  await mkdir(join(dirname(script), "node_modules"));
  await symlink(dirname(esbuild), join(dirname(script), "node_modules/esbuild"));
  const args = [script, join(directory, "croft.config.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

const typed = "const port: number = 5;\nexport default { http: { port } };";

test.each([
  ["no package.json", {}],
  ["a CommonJS package", { "package.json": "{}" }],
  ["an ES module package", { "package.json": '{ "type": "module" }' }],
])("TypeScript is loaded in a project with %s", async (_kind, files) => {
  expect(await importFrom({ ...files, "croft.config.ts": typed })).toEqual({ http: { port: 5 } });
});

test.each(["croft.config.ts", "croft.config.mts", "croft.config.js", "croft.config.mjs"])(
  "%s is found and loaded",
  async (name) => {
    const directory = await project({ [name]: "export default { name: import.meta.url };" });
    const found = findConfigFile(directory);
    expect(found).toBe(join(directory, name));
    expect(await exportOf(found ?? "")).toEqual({
      name: pathToFileURL(join(directory, name)).href,
    });
  },
);

test("where there is no such file none is found", async () => {
  expect(findConfigFile(await project({ "croft.config.json": "{}" }))).toBeUndefined();
});

test.runIf(process.geteuid?.() === 0)(
  "another user's file is not run where it was only met",
  async () => {
    const directory = await project({ "croft.config.ts": "throw new Error('it ran');" });
    const path = join(directory, "croft.config.ts");
    chownSync(path, 65_534, 65_534);
    const sources = { flags: {}, env: {}, directory, uid: 0, home: directory };
    await expect(loadConfig(sources)).rejects.toThrow("belongs to another user");
    await expect(loadConfig({ ...sources, file: path })).rejects.toThrow("it ran");
    requireTrusted(path, 65_534);
    chownSync(path, 0, 0);
    requireTrusted(path, 65_534); // root may do everything anyway
  },
);

test("top-level await works, also without an ES module package", async () => {
  const text = "const port = await Promise.resolve(6);\nexport default { port };";
  expect(await importFrom({ "package.json": "{}", "croft.config.ts": text })).toEqual({ port: 6 });
});

test("other TypeScript files are imported, each with the address it has on disk", async () => {
  const directory = await project({
    "croft.config.ts":
      'import { where } from "./settings/where.ts";\nexport default { own: import.meta.url, where };',
    "settings/where.ts": "export const where: string = import.meta.url;",
  });
  expect(await exportOf(join(directory, "croft.config.ts"))).toEqual({
    own: pathToFileURL(join(directory, "croft.config.ts")).href,
    where: pathToFileURL(join(directory, "settings/where.ts")).href,
  });
});

test("import.meta.dirname and filename are those of the file, as in Node", async () => {
  const directory = await project({
    "croft.config.ts":
      "export default { directory: import.meta.dirname, file: import.meta.filename };",
  });
  expect(await exportOf(join(directory, "croft.config.ts"))).toEqual({
    directory,
    file: join(directory, "croft.config.ts"),
  });
});

test("defineConfig comes from 'croft' where croft is not installed", async () => {
  const text =
    'import { defineConfig } from "croft";\nexport default defineConfig({ data: "/d" });';
  expect(await importFrom({ "croft.config.ts": text })).toEqual({ data: "/d" });
});

test("types imported from 'croft' vanish", async () => {
  const text =
    'import type { ConfigInput } from "croft";\nexport default { data: "/d" } satisfies ConfigInput;';
  expect(await importFrom({ "croft.config.ts": text })).toEqual({ data: "/d" });
});

test("Node's own modules are imported, with and without 'node:'", async () => {
  const text =
    'import { sep } from "node:path";\nimport { EOL } from "os";\nexport default { sep, EOL };';
  expect(await importFrom({ "croft.config.ts": text })).toEqual({ sep: "/", EOL: "\n" });
});

test("a package of the project runs in its own place, not inside the bundle", async () => {
  const directory = await project({
    "croft.config.ts":
      'import { here } from "tiny";\nimport { deep } from "tiny/deep";\nexport default { here, deep };',
    "node_modules/tiny/package.json":
      '{ "name": "tiny", "type": "module", "exports": { ".": "./main.js", "./deep": "./deep.cjs" } }',
    "node_modules/tiny/main.js": "export const here = import.meta.url;",
    "node_modules/tiny/deep.cjs": "exports.deep = __filename;",
  });
  expect(await exportOf(join(directory, "croft.config.ts"))).toEqual({
    here: pathToFileURL(join(directory, "node_modules/tiny/main.js")).href,
    deep: join(directory, "node_modules/tiny/deep.cjs"),
  });
});

test.each([
  ["croft.config.js", "module.exports = { file: __filename, sep: require('node:path').sep };"],
  [
    "croft.config.ts",
    'import path = require("path");\nexport default { file: __filename, sep: path.sep };',
  ],
])("a CommonJS %s may say require and __filename", async (name, text) => {
  const directory = await project({ "package.json": "{}", [name]: text });
  const file = join(directory, name);
  expect(await exportOf(file)).toEqual({ file, sep: "/" });
});

test("a package is loaded in the form that Node would choose, not a bundler's", async () => {
  const config = await importInPlainNode({
    "croft.config.ts": 'import form from "forms";\nexport default { form };',
    "node_modules/forms/package.json":
      '{ "name": "forms", "exports": { "module": "./bundler.js", "default": "./node.cjs" } }',
    "node_modules/forms/bundler.js": 'export default "bundler";',
    "node_modules/forms/node.cjs": 'module.exports = "node";',
  });
  expect(config).toEqual({ form: "node" });
});

test("a name that package.json maps to a TypeScript file is bundled like any other file", async () => {
  const config = await importInPlainNode({
    "package.json": '{ "type": "module", "imports": { "#port": "./port.ts" } }',
    "croft.config.ts": 'import { port } from "#port";\nexport default { port };',
    "port.ts": "export const port: number = 7;",
  });
  expect(config).toEqual({ port: 7 });
});

test.each([
  ["a syntax error", "export default {", "found end of file"],
  ["an import of a missing file", 'import "./gone.ts";\nexport default {};', "./gone.ts"],
  ["an import of a missing package", 'import "gone-package";\nexport default {};', "gone-package"],
  ["an error while it runs", 'throw new Error("the lid is off");', "the lid is off"],
  ["no default export", "export const port = 1;", "has no default export"],
])("%s is told with the file's name", async (_what, text, reason) => {
  const loading = importFrom({ "croft.config.ts": text });
  await expect(loading).rejects.toMatchObject({ code: "config-invalid" });
  await expect(loading).rejects.toThrow("croft.config.ts");
  await expect(loading).rejects.toThrow(reason);
});

test("a mistake in the first line is told at the column where it stands", async () => {
  const loading = importFrom({ "croft.config.ts": "export default { a b };" });
  await expect(loading).rejects.toThrow("croft.config.ts:1:19: ERROR");
});

test.each(["export default {};", "export default {", 'throw new Error("no");'])(
  "nothing stays in the temporary directory after '%s'",
  async (text) => {
    const temporary = await scratchDirectory();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    await importFrom({ "croft.config.ts": text }).catch(() => {});
    expect(await readdir(temporary)).toEqual([]);
  },
);

test("two projects loaded at the same moment keep their own configuration", async () => {
  const loads = Array.from({ length: 4 }, (_, port) =>
    importFrom({ "croft.config.ts": `export default { port: ${port} };` }),
  );
  expect(await Promise.all(loads)).toEqual([0, 1, 2, 3].map((port) => ({ port })));
});

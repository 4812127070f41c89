// A cluster's files are made whole or not at all, and never mistaken for those of another version.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { initialiseCluster } from "./initialise-cluster.ts";

async function prepare() {
  const directory = await openDataDirectory(await scratchDirectory());
  return { directory, cluster: join(directory.postgres, "data") };
}

const unused = { initdb: "/nowhere/initdb", postgres: "/nowhere/postgres", version: "18.4" };

test("files of another major version are refused with the way out, and kept", async () => {
  const { directory, cluster } = await prepare();
  await mkdir(cluster);
  await writeFile(join(cluster, "PG_VERSION"), "17\n");
  await expect(initialiseCluster(directory, unused, cluster)).rejects.toMatchObject({
    code: "postgres-failed",
    message: expect.stringMatching(/holds files of PostgreSQL 17, this Croft brings 18: .*back up/),
  });
  expect(await readdir(cluster)).toEqual(["PG_VERSION"]);
});

test("files of the same major version are used as they are", async () => {
  const { directory, cluster } = await prepare();
  await mkdir(cluster);
  await writeFile(join(cluster, "PG_VERSION"), "18\n");
  await initialiseCluster(directory, unused, cluster);
  expect(await readdir(cluster)).toEqual(["PG_VERSION"]);
});

test("an initdb that fails is quoted and leaves nothing", async () => {
  const { directory, cluster } = await prepare();
  const initdb = join(await scratchDirectory(), "initdb");
  await writeFile(initdb, "#!/bin/sh\necho half > $2/half\necho 'no space left' >&2\nexit 1\n", {
    mode: 0o755,
  });
  await expect(initialiseCluster(directory, { ...unused, initdb }, cluster)).rejects.toMatchObject({
    code: "postgres-failed",
    message: "cannot create the database: no space left",
  });
  expect(await readdir(directory.staging)).toEqual([]);
  expect(await readdir(directory.postgres)).toEqual([]);
});

test("an initdb that is not there is told", async () => {
  const { directory, cluster } = await prepare();
  await expect(initialiseCluster(directory, unused, cluster)).rejects.toMatchObject({
    code: "postgres-failed",
    message: expect.stringContaining("ENOENT"),
  });
  expect(await readdir(directory.staging)).toEqual([]);
});

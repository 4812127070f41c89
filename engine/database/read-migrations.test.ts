// Migrations are numbered without a gap and without a double.
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { readMigrations } from "./read-migrations.ts";

async function directoryOf(...names: string[]): Promise<string> {
  const directory = await scratchDirectory();
  for (const name of names) await writeFile(join(directory, name), `-- ${name}`);
  return directory;
}

test("files are read in the order of their numbers, with a checksum of their text", async () => {
  const directory = await directoryOf("0002_second.sql", "0001_first.sql");
  const checksum = createHash("sha256").update("-- 0001_first.sql").digest("hex");
  const [first, second] = readMigrations(directory);
  expect(first).toEqual({ number: 1, name: "0001_first.sql", sql: "-- 0001_first.sql", checksum });
  expect(second).toMatchObject({ number: 2, name: "0002_second.sql" });
});

test("files that are no SQL do not count", async () => {
  const directory = await directoryOf("0001_first.sql", "README.md", "0001_first.sql.swp");
  expect(readMigrations(directory)).toHaveLength(1);
});

test.each([
  ["two with one number", ["0001_a.sql", "0001_b.sql"], "'0001_b.sql' should have the number 2"],
  ["a gap", ["0001_a.sql", "0003_c.sql"], "'0003_c.sql' should have the number 2"],
  ["no first", ["0002_b.sql"], "'0002_b.sql' should have the number 1"],
  ["a zero", ["0000_a.sql"], "'0000_a.sql' should have the number 1"],
  ["no number", ["first.sql"], "'first.sql' should have the number 1"],
  ["a short number", ["1_a.sql"], "'1_a.sql' should have the number 1"],
  ["no name", ["0001.sql"], "'0001.sql' should have the number 1"],
  ["a foreign spelling", ["0001_Add-Jobs.sql"], "'0001_Add-Jobs.sql' should have the number 1"],
])("%s is refused", async (_what, names, message) => {
  const directory = await directoryOf(...names);
  expect(() => readMigrations(directory)).toThrow(message);
});

test("the migrations of this version can be read", () => {
  expect(readMigrations(join(import.meta.dirname, "migrations")).length).toBeGreaterThan(0);
});

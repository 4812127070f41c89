// The numbered SQL files that make the schema, forward only.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Throws when two files have one number, or a number is left out: both are mistakes of a merge. */
export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
    if (number !== index + 1) {
      throw new Error(
        `migration '${name}' should have the number ${index + 1}: files are named 0001_what.sql, 0002_…, none twice`,
      );
    }
    const sql = readFileSync(join(directory, name), "utf8");
    return { number, name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

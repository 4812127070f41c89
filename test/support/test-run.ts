// Around the whole test run: one PostgreSQL for all, and proof at the end that nothing was left behind.
import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { MIGRATED_DATABASE, startSharedPostgres } from "./shared-postgres.ts";
import { temporaryRoot } from "./temporary-root.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Everything a test makes on disk lies below this directory. */
    scratch: string;
    /** Connection string of the shared server's first database. */
    databaseUrl: string;
    /** Name of a database of that server which is there to be copied. */
    migratedDatabase: string;
  }
}

/** Runs before the first test; what it returns runs after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = temporaryRoot("croft-test-");
  const scratch = join(root, "scratch");
  const postgres = await startSharedPostgres();
  project.provide("scratch", scratch);
  project.provide("databaseUrl", postgres.url);
  project.provide("migratedDatabase", MIGRATED_DATABASE);

  return async () => {
    const leftovers = [...(await postgres.leftDatabases()), ...leftFiles(scratch)];
    await postgres.close();
    leftovers.push(...processesBelow(root), ...processesBelow(postgres.root));
    rmSync(root, { recursive: true, force: true });
    if (leftovers.length > 0) throw new Error(`tests left behind: ${leftovers.join(", ")}`);
  };
}

function leftFiles(scratch: string): string[] {
  try {
    return readdirSync(scratch).map((name) => `directory ${name}`);
  } catch {
    return []; // no test made one
  }
}

/** Found by command line or working directory. */
function processesBelow(root: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.includes(root) || readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map((pid) => `process ${pid}`);
}

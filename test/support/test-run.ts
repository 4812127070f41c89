// Around the whole test run: one PostgreSQL for all, and proof at the end that nothing was left behind.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, openEngine } from "@croft/engine";
import type { TestProject } from "vitest/node";
import { silentLog } from "./silent-log.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Everything a test makes on disk lies below this directory. */
    scratch: string;
    /** Connection string of the shared server's first database. */
    databaseUrl: string;
  }
}

/** Runs before the first test; what it returns runs after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), "croft-test-"));
  chmodSync(root, 0o755); // servers of tests run as other users too
  const scratch = join(root, "scratch");
  const { config } = await loadConfig({
    flags: { data: join(root, "shared") },
    env: {},
    directory: root,
    uid: process.getuid?.(),
    home: root,
  });
  const engine = await openEngine({ config, log: silentLog, version: "test" });
  const host = encodeURIComponent(engine.database.pool.options.host ?? "");
  project.provide("scratch", scratch);
  project.provide("databaseUrl", `postgres://croft@${host}/croft`);

  return async () => {
    const leftovers = [...(await leftDatabases(engine.database.pool)), ...leftFiles(scratch)];
    await engine.close();
    leftovers.push(...processesBelow(root));
    rmSync(root, { recursive: true, force: true });
    if (leftovers.length > 0) throw new Error(`tests left behind: ${leftovers.join(", ")}`);
  };
}

async function leftDatabases(pool: { query: (sql: string) => Promise<{ rows: unknown[] }> }) {
  const { rows } = await pool.query("select datname from pg_database where datname like 'test_%'");
  return (rows as { datname: string }[]).map(({ datname }) => `database ${datname}`);
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

// A real engine on a scratch database and data directory, closed when the test ends.
import { type Engine, type JobType, loadConfig, openEngine } from "@croft/engine";
import { onTestFinished } from "vitest";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { silentLog } from "./silent-log.ts";

/** `flags` are settings by path, as on the command line. */
export async function scratchEngine(
  flags: Record<string, string | boolean> = {},
  types: readonly JobType[] = [],
): Promise<Engine> {
  return await engineOn(await scratchDatabase(), flags, types);
}

/** Another process's engine on the same database, as far as the database can tell. */
export async function engineOn(
  databaseUrl: string,
  flags: Record<string, string | boolean> = {},
  types: readonly JobType[] = [],
): Promise<Engine> {
  const directory = await scratchDirectory();
  const { config } = await loadConfig({
    flags: { data: directory, ...flags },
    env: { DATABASE_URL: databaseUrl },
    directory,
    uid: process.getuid?.(),
    home: directory,
  });
  const engine = await openEngine({ config, log: silentLog, version: "test", types });
  onTestFinished(() => engine.close());
  return engine;
}

// A real engine on a scratch database and data directory, closed when the test ends.
import { type Engine, loadConfig, openEngine } from "@croft/engine";
import { onTestFinished } from "vitest";
import { scratchDatabase } from "./scratch-database.ts";
import { scratchDirectory } from "./scratch-directory.ts";
import { silentLog } from "./silent-log.ts";

/** `flags` are settings by path, as on the command line. */
export async function scratchEngine(flags: Record<string, string | boolean> = {}): Promise<Engine> {
  const directory = await scratchDirectory();
  const { config } = await loadConfig({
    flags: { data: directory, ...flags },
    env: { DATABASE_URL: await scratchDatabase() },
    directory,
    uid: process.getuid?.(),
    home: directory,
  });
  const engine = await openEngine({ config, log: silentLog, version: "test" });
  onTestFinished(() => engine.close());
  return engine;
}

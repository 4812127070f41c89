// The composition root of the engine: opens everything a process needs and closes it in the right order.
import type { Config } from "./config/config.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory/data-directory.ts";
import { provideLocalToken } from "./data-directory/local-token.ts";
import { type Database, openDatabase } from "./database/open-database.ts";
import type { Log } from "./log.ts";

export interface Engine {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly startedAt: Date;
  readonly directory: DataDirectory;
  readonly database: Database;
  readonly localToken: string;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  /** Ends a start that is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
}

export async function openEngine({ config, log, version, signal }: EngineOptions): Promise<Engine> {
  const startedAt = new Date();
  const directory = await openDataDirectory(config.data);
  const localToken = await provideLocalToken(directory);
  const database = await openDatabase(config, directory, log, signal);
  return {
    config,
    log,
    version,
    startedAt,
    directory,
    database,
    localToken,
    close: () => database.close(),
  };
}

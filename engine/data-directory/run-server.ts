// The server that `croft run` starts when none runs: one a data directory, however many ask for it at the same moment.
import { join } from "node:path";
import { isServeStarting } from "../database/join-database.ts";
import { openDataDirectory } from "./data-directory.ts";
import { hasLivingHolder, type LockedFile, tryLockFile } from "./try-lock-file.ts";

export interface RunServerPlace {
  /** Where it writes. */
  readonly log: string;
  /** The right to start one. Undefined while another has it; who dies with it makes room. */
  takeStart(): Promise<LockedFile | undefined>;
  /** Whether one is on its way, or on its way out: then another would only be refused. */
  isComing(): Promise<boolean>;
}

export async function runServerPlace(data: string): Promise<RunServerPlace> {
  const { locks, run } = await openDataDirectory(data);
  return {
    log: join(run, "server.log"),
    takeStart: () => tryLockFile(join(locks, "start")),
    isComing: async () =>
      (await hasLivingHolder(join(locks, "run-server"))) || (await isServeStarting(data)),
  };
}

/** The server's own, for as long as it lives: also where the database is another's, it is the only one. */
export async function ownRunServer(data: string): Promise<LockedFile | undefined> {
  const { locks } = await openDataDirectory(data);
  return await tryLockFile(join(locks, "run-server"));
}

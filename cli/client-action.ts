// The action of a command that asks a server.
import type { Command } from "commander";
import { type ReachedServer, reachServer } from "./reach-server.ts";
import { reportFailures } from "./report-failures.ts";
import { guardOutput, type Readers } from "./write-output.ts";

/** To be asked again where a connection was lost: a local server may have come back at another address. */
export type Reach = () => Promise<ReachedServer>;

export function clientAction(
  command: Command,
  action: (reach: Reach) => Promise<void>,
  reach: (command: Command) => Promise<ReachedServer> = reachServer,
  readers: Readers = "needed",
): () => Promise<void> {
  return reportFailures(async () => {
    guardOutput(readers);
    await action(() => reach(command));
  });
}

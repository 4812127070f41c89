// Reaches the server of this machine with the token file of its data directory.
import { join } from "node:path";
import { type ApiClient, createClient } from "@croft/contract";
import {
  type Config,
  EngineError,
  findServer,
  localTokenPath,
  readLocalToken,
} from "@croft/engine";

export interface LocalServer {
  readonly url: string;
  readonly client: ApiClient;
}

export async function reachLocalServer(config: Config): Promise<LocalServer> {
  const run = join(config.data, "run");
  const address = await findServer(run);
  if (address === undefined) {
    throw new EngineError(
      "unavailable",
      `no server runs on data directory '${config.data}': start one with 'croft serve', or name another directory with CROFT_DATA`,
    );
  }
  const token = await readLocalToken(localTokenPath(run));
  if (token === undefined) {
    throw new EngineError("unauthenticated", `there is no token file in '${run}'`);
  }
  return { url: address.url, client: createClient({ baseUrl: address.url, token }) };
}

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

/** With the token of the data directory, unless another is given. */
export async function reachLocalServer(config: Config, given?: string): Promise<LocalServer> {
  const run = join(config.data, "run");
  const address = await findServer(run).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES") throw error;
    throw new EngineError("unauthenticated", `this user may not read '${run}'`, { cause: error });
  });
  if (address === undefined) {
    throw new EngineError(
      "unavailable",
      `no server runs on data directory '${config.data}': start one with 'croft serve', or name another directory with CROFT_DATA`,
    );
  }
  const token = given ?? (await readLocalToken(localTokenPath(run)));
  if (token === undefined) {
    throw new EngineError("unauthenticated", `there is no token file in '${run}'`);
  }
  const client = createClient({ baseUrl: address.url, token, fetch: explainingFetch });
  return { url: address.url, client };
}

/** A killed server leaves its address behind. */
export async function explainingFetch(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    const reason = cause instanceof Error && cause.message !== "" ? ` (${cause.message})` : "";
    const message = `the server at ${new URL(request.url).origin} does not answer${reason}: start it again with 'croft serve'`;
    throw new EngineError("unavailable", message, { cause: error });
  }
}

// Opens the HTTP port, and knows under which addresses it is then reached.
import { type Config, EngineError } from "@croft/engine";
import type { FastifyInstance } from "fastify";

export interface ListenAddress {
  /** For people: where the operator says that it is, else where it listens. */
  readonly publicUrl: string;
  /** For programs of this machine: a token must not leave it. */
  readonly localUrl: string;
}

export async function listen(app: FastifyInstance, http: Config["http"]): Promise<ListenAddress> {
  try {
    await app.listen({ host: http.host, port: http.port });
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, http);
  }
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : http.port;
  const isEverywhere = ["0.0.0.0", "::"].includes(http.host);
  const local = urlOf(isEverywhere ? "127.0.0.1" : http.host, port);
  const shown = isEverywhere ? urlOf("localhost", port) : local;
  return { localUrl: local, publicUrl: http.publicUrl ? new URL(http.publicUrl).origin : shown };
}

/** Another port where the usual one is taken: who needs this server finds it by its data directory. */
export async function listenAnywhere(
  app: FastifyInstance,
  http: Config["http"],
): Promise<ListenAddress> {
  try {
    return await listen(app, http);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "address-in-use") throw error;
    return await listen(app, { ...http, port: 0 });
  }
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function explained(error: NodeJS.ErrnoException, { host, port }: Config["http"]): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new EngineError(
        "address-in-use",
        `port ${port} of ${host} is taken: choose another with --http-port or CROFT_HTTP_PORT`,
        { cause: error },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new EngineError(
        "address-unusable",
        `this machine has no address '${host}': choose another with --http-host or CROFT_HTTP_HOST`,
        { cause: error },
      );
    case "EACCES":
      return new EngineError(
        "address-unusable",
        `this user may not open port ${port}: choose one above 1023 with --http-port or CROFT_HTTP_PORT`,
        { cause: error },
      );
    default:
      return error;
  }
}

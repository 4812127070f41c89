// Reaches the server that a command is meant for: the one of CROFT_URL, else that of the data directory.
import { createClient } from "@croft/contract";
import { EngineError } from "@croft/engine";
import type { Command } from "commander";
import { explainingFetch, type LocalServer, reachLocalServer } from "./local-server.ts";
import { readConfig, readRemote } from "./read-config.ts";

export type ReachedServer = LocalServer;

/** Whether CROFT_URL says so. A data directory named on the command line is stronger than the environment. */
export function isElsewhere(command: Command): boolean {
  const isNamed = command.optsWithGlobals<{ data?: string }>().data !== undefined;
  return readRemote().url !== undefined && !isNamed;
}

export async function reachServer(command: Command): Promise<ReachedServer> {
  const { url, token } = readRemote();
  if (url === undefined || !isElsewhere(command)) {
    return await reachLocalServer((await readConfig(command)).config, token);
  }
  if (token === undefined) {
    // The local token opens this machine's server: it is never sent elsewhere.
    throw new EngineError("unauthenticated", "CROFT_URL is set without CROFT_TOKEN");
  }
  const baseUrl = originOf(url);
  return { url: baseUrl, client: createClient({ baseUrl, token, fetch: explainingFetch }) };
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) {
    return url.origin;
  }
  throw new EngineError(
    "config-invalid",
    "CROFT_URL must be an http or https URL without a path, such as https://croft.example.org",
  );
}

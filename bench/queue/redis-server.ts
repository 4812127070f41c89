// A Redis of its own for each way that BullMQ is run, on a unix socket, in a directory that goes with it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { waitUntil } from "../../test/support/wait-until.ts";

export interface RedisServer {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Asked for before anything is measured. */
export function requireRedis(): void {
  const { status, error } = spawnSync("redis-server", ["--version"], { stdio: "ignore" });
  if (status === 0) return;
  throw new Error(
    `redis-server, which BullMQ needs, cannot be run (${error?.message ?? `exit ${status}`}); on Debian: apt-get install redis-server`,
  );
}

/** `settings` beside what Redis does by itself. */
export async function startRedis(
  directory: string,
  settings: Readonly<Record<string, string>>,
): Promise<RedisServer> {
  mkdirSync(directory);
  const socket = join(directory, "redis.sock");
  const all = { port: "0", unixsocket: socket, dir: directory, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn("redis-server", args, { stdio: "ignore" });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL"); // nobody needs what it holds
    await ended;
  };
  try {
    await waitUntil("Redis", () => answers(socket));
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, stop };
}

async function answers(path: string): Promise<boolean> {
  const client = new Redis({ path, lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => {}); // not there yet
  try {
    await client.connect();
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

// Another process with an engine of its own on the same database, told what to do and killed by a test.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { Config } from "@croft/engine";
import { onTestFinished } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { waitUntil } from "./wait-until.ts";

export interface EngineProcess {
  hasSaid(word: string): Promise<void>;
  said(): readonly string[];
  tell(): void;
  kill(): Promise<void>;
  /** Its exit code, or signal. */
  readonly end: Promise<number | string>;
}

/**
 * `body` is the inside of an async function. It has `engine`, all of `@croft/engine` as `croft`, `say(word)`, and
 * `await told()` waits for the test. The process shares the data directory of the configuration and the store of its assets,
 * and does not outlive the test.
 */
export function startEngineProcess(
  config: Pick<Config, "data" | "database" | "assets">,
  body: string,
): EngineProcess {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", scriptOf(body)],
    {
      cwd: projectRoot,
      env: {
        PATH: process.env["PATH"] ?? "",
        DATA: config.data,
        DATABASE_URL: config.database.url ?? "",
        STORE: JSON.stringify(storeFlags(config.assets)),
      },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  child.stdin.on("error", () => {}); // it was killed before it had read all
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const end = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const said = () => text.split("\n").filter((line) => line !== "");
  const kill = async () => {
    child.kill("SIGKILL");
    await end;
  };
  onTestFinished(kill);
  return {
    ...{ end, said, kill },
    hasSaid: async (word) => void (await waitUntil(`'${word}'`, () => said().includes(word))),
    tell: () => child.stdin.write("\n"),
  };
}

/** The settings that say where files are, as on a command line. */
function storeFlags({ path, s3 }: Config["assets"]): Record<string, string> {
  const settings: [string, unknown][] = [
    ["assets.path", path],
    ...Object.entries(s3).map(([name, value]): [string, unknown] => [`assets.s3.${name}`, value]),
  ];
  const given = settings.filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function scriptOf(body: string): string {
  const url = (path: string) => JSON.stringify(pathToFileURL(join(projectRoot, path)).href);
  return `
    import { once } from "node:events";
    import * as croft from ${url("engine/index.ts")};
    import { inTransaction } from ${url("engine/database/in-transaction.ts")};
    import { silentLog } from ${url("test/support/silent-log.ts")};
    const { DATA, DATABASE_URL, STORE } = process.env;
    const { config } = await croft.loadConfig({
      flags: { data: DATA, ...JSON.parse(STORE) }, env: { DATABASE_URL }, directory: DATA, uid: process.getuid?.(), home: DATA,
    });
    const engine = await croft.openEngine({ config, log: silentLog, version: "test", role: "worker" });
    const say = (word) => process.stdout.write(word + "\\n");
    const told = () => once(process.stdin, "data");
    await (async () => { ${body} })();
    await engine.close();
    process.exit(0);
  `;
}

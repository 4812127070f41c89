// The example that mirrors into a folder, as a process of its own that tests may kill.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { SECRET } from "./signed-messages.ts";
import { waitUntil } from "./wait-until.ts";

export interface MirrorProcess {
  readonly url: string;
  readonly pid: number;
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<number | string>;
}

export const mirrorProgram = join(projectRoot, "examples/mirror-app/main.ts");

/** In one file, because it starts in a fifth of the time. */
export async function bundleMirror(directory: string): Promise<string> {
  const outfile = join(directory, "mirror-app.mjs");
  await build({
    ...{ entryPoints: [mirrorProgram], outfile, logLevel: "warning" },
    ...{ bundle: true, format: "esm", platform: "node", target: "node20" },
  });
  return outfile;
}

/** `program`: a bundle, or the source, which tsx runs. */
export async function startMirror(program: string, folder: string): Promise<MirrorProcess> {
  const loader = program.endsWith(".ts") ? ["--import", "tsx"] : [];
  const child = spawn(process.execPath, [...loader, program, "--folder", folder, "--port", "0"], {
    cwd: projectRoot,
    env: { PATH: process.env["PATH"] ?? "", CROFT_SIGNING_SECRET: SECRET },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const end = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    return await end;
  };
  onTestFinished(async () => void (await kill()));
  const url = await waitUntil("the mirror's address", () => {
    if (child.exitCode !== null) throw new Error(`the mirror ended: ${output}`);
    return /listens on (\S+)/.exec(output)?.[1];
  });
  return { url, pid: child.pid ?? -1, output: () => output, kill };
}

// Runs a script of a step in its workspace.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "@croft/git";
import { evaluateText, pathFault, type RunStep } from "@croft/pipeline";
import { JobFailure } from "../jobs/job-failure.ts";
import { requireGood } from "./step-files.ts";
import type { StepScene } from "./step-scene.ts";

const SHELLS = { sh: ["sh", "-e", "-c"], bash: ["bash", "-eo", "pipefail", "-c"] } as const;
const ENTER = 'cd -- "$1" || exit 1; shift; exec "$@"';

export async function runScript(
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
  environment: Readonly<Record<string, string>>,
  script = evaluateText(scene.step.run, scene.context),
): Promise<void> {
  const { attempt, step, signal, parts, context } = scene;
  const directory = step.workingDirectory;
  const place = directory === undefined ? undefined : evaluateText(directory, context);
  requireGood("working-directory", place, pathFault);
  const command = [...SHELLS[step.shell], script];
  const argv = place === undefined ? command : ["sh", "-c", ENTER, "sh", place, ...command];
  const isLost = () =>
    (attempt.signal.reason as { reason?: string } | undefined)?.reason === "lost";
  const { exitCode, stopped } = await workspace.run(argv, {
    ...{ environment, signal, network: step.network, maxOutputBytes: 0 },
    timeoutMs: 2 ** 31 - 1, // the step's own time ends it
    graceMs: () => (isLost() ? 0 : parts.config.shutdown.killGrace),
    onOutput: (stream, chunk) => attempt.log(chunk, stream),
  });
  if (stopped === "aborted") throw signal.reason;
  if (exitCode === 0) return;
  if (place !== undefined && !existsSync(join(workspace.path, place))) {
    const message = `the working-directory '${place}' is not in the workspace`;
    throw new JobFailure("command", "no-directory", message);
  }
  throw new JobFailure("command", "command-failed", `the command ended with exit code ${exitCode}`);
}

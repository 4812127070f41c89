// A command that fails may have said where: its `checks.json` is kept, so that GitHub can show it at the lines it is about.
import type { Workspace } from "@croft/git";
import type { RunStep } from "@croft/pipeline";
import { checksArtifacts } from "../github/results/checks-artifacts.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { storeArtifacts } from "./step-files.ts";
import type { StepScene } from "./step-scene.ts";

export async function keepChecks(
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
  error: unknown,
): Promise<never> {
  const { step, log } = scene;
  const names = checksArtifacts(step);
  if (!(error instanceof JobFailure) || error.failureClass !== "command" || names.length === 0) {
    throw error;
  }
  const wanted = names.map((name) => [name, { path: "", ...step.artifacts[name], optional: true }]);
  const own = { ...scene, step: { ...step, artifacts: Object.fromEntries(wanted) } };
  const artifacts = await storeArtifacts(own, workspace).catch((fault: unknown) => {
    log.warn({ err: fault }, "what a failed command says of lines could not be kept");
    return [];
  });
  if (artifacts.length === 0) throw error;
  const { failureClass, code, message, details } = error;
  throw new JobFailure(failureClass, code, message, {
    cause: error,
    details: { ...details, artifacts },
  });
}

// Which artifacts of a step are annotations: those kept from a file `checks.json`, whatever they are called.
import type { Step } from "@croft/pipeline";

export function checksArtifacts(step: Step): readonly string[] {
  if (step.kind !== "run") return [];
  return Object.entries(step.artifacts).flatMap(([name, { path }]) =>
    /(?:^|\/)checks\.json$/.test(path) ? [name] : [],
  );
}

// The environment of a job's command: built from nothing, so that it holds no more than was given to it.
import { join } from "node:path";
import { WORKSPACE_VARIABLE } from "../command/process-tree.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";

export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** In its temporary directory, so that what tools keep there goes with the workspace. */
export const HOME = "home";

export interface EnvironmentParts {
  readonly workspace: string;
  readonly temporary: string;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export function jobEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { workspace, temporary, environment = {} } = parts;
  for (const [name, value] of Object.entries(environment)) requireVariable(name, value);
  return {
    PATH,
    HOME: join(temporary, HOME),
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    ...environment,
    [WORKSPACE_VARIABLE]: workspace,
  };
}

/** They go to bubblewrap in one text, parted by NUL: with one inside, a value could become an argument. */
function requireVariable(name: string, value: string): void {
  if (name !== "" && !/[=\0]/.test(name) && !value.includes("\0")) return;
  throw new WorkspaceError("invalid-request", `not a valid variable: '${name.slice(0, 80)}'`);
}

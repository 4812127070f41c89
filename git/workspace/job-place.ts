// Where the commands of a workspace run, and what they see.
import type { GitDirectories } from "../disk/git-directories.ts";
import type { Platform } from "../platform/detect-platform.ts";
import type { JobPlace } from "../sandbox/job-command.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import type { LedgerEntry } from "./ledger.ts";
import { temporaryOf } from "./make-checkout.ts";
import { partsOf } from "./remove-workspace.ts";

export interface PlaceParts {
  readonly directories: GitDirectories;
  readonly platform: Platform;
  readonly user: JobUser | undefined;
  readonly writable?: readonly string[] | undefined;
}

export function jobPlace({ id, path }: LedgerEntry, parts: PlaceParts): JobPlace {
  const { directories, platform, user, writable } = parts;
  const temporary = temporaryOf(partsOf(directories, id));
  const shown = { workspace: path, temporary, data: directories.data, writable };
  return {
    ...{ workspace: path, temporary, user },
    sandbox: platform.sandbox.isPossible ? { ...shown, hasNetwork: false } : undefined,
  };
}

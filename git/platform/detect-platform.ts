// Finds out by trying what this machine allows: overlay mounts, the sandbox, a user of their own for jobs.
import { existsSync, mkdirSync, renameSync, statfsSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { makeOwned } from "../checkout/lay-out-repository.ts";
import { runTool } from "../command/run-tool.ts";
import { type GitDirectories, removeTree, stagingPlace } from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import { mountOverlay, unmountBelow } from "../disk/mount-overlay.ts";
import { JobCommand } from "../sandbox/job-command.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import { hasCapabilities } from "./capabilities.ts";

/** `advice` is what an operator can do about it. */
export type Ability =
  | { readonly isPossible: true }
  | { readonly isPossible: false; readonly reason: string; readonly advice: string };

export interface Platform {
  readonly overlay: Ability;
  readonly sandbox: Ability;
  /** Undefined: jobs run as the user of Croft. */
  readonly jobUser: JobUser | undefined;
}

export async function detectPlatform(
  directories: GitDirectories,
  user: JobUser | undefined,
): Promise<Platform> {
  return {
    overlay: await tryOverlay(directories),
    sandbox: await trySandbox(directories, user),
    jobUser: user,
  };
}

async function tryOverlay(directories: GitDirectories): Promise<Ability> {
  const place = stagingPlace(directories, "probe");
  const [lower, upper, work, target] = ["lower", "upper", "work", "target"].map((name) =>
    join(place, name),
  ) as [string, string, string, string];
  try {
    await makeDirectories(place);
    for (const directory of [lower, upper, work, target]) mkdirSync(directory);
    mkdirSync(join(lower, "directory"));
    await mountOverlay({ base: place, layers: [lower], upper, work, target });
    renameSync(join(target, "directory"), join(target, "renamed"));
    return { isPossible: true };
  } catch (error) {
    return impossibleOverlay(directories.data, error);
  } finally {
    await unmountBelow(place);
    await removeTree(place);
  }
}

const OVERLAYFS = 0x79_4c_76_30;
const NFS = 0x69_69;

function impossibleOverlay(data: string, error: unknown): Ability {
  const advice = "workspaces are clones instead: slower, and each takes the disk of a checkout";
  const no = (reason: string, hint: string) => ({
    isPossible: false as const,
    reason,
    advice: `${hint}; ${advice}`,
  });
  const { type } = statfsSync(data);
  if (process.platform !== "linux") return no("overlay mounts need Linux", "use Linux");
  if (type === OVERLAYFS) {
    return no(
      "the data directory lies on an overlay itself (a container's own layer)",
      "put CROFT_DATA on a volume",
    );
  }
  if (type === NFS) {
    return no("the data directory lies on NFS", "put CROFT_DATA on a local disk");
  }
  if (process.getuid?.() !== 0) {
    return no("this user may not mount", "run Croft as root or with CAP_SYS_ADMIN");
  }
  if (!hasCapabilities("SYS_ADMIN")) {
    return no("root may not mount here", "give the container the right to mount (CAP_SYS_ADMIN)");
  }
  const said = error instanceof Error ? error.message : String(error);
  return no(said, "give the container the right to mount (CAP_SYS_ADMIN)");
}

/** Proves what matters, instead of the mere presence of the program. */
const PROOF = `
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || { echo 'it keeps capabilities'; exit 1; }
[ ! -e "$1" ] || { echo 'the data directory can be seen in it'; exit 1; }
touch ./proof || { echo 'the workspace cannot be written in it'; exit 1; }
`;

async function trySandbox(
  directories: GitDirectories,
  user: JobUser | undefined,
): Promise<Ability> {
  const advice =
    "install bubblewrap and allow user namespaces; until then jobs share a user, and nothing keeps them apart";
  const no = (reason: string): Ability => ({ isPossible: false, reason, advice });
  if (process.platform !== "linux") return no("the sandbox needs Linux");
  const { exitCode } = await runTool("bwrap", ["--version"]);
  if (exitCode !== 0) return no("bubblewrap (bwrap) is not installed");
  const place = stagingPlace(directories, "probe");
  const workspace = join(place, "workspace");
  const temporary = join(place, "temporary");
  const canary = stagingPlace(directories, "canary");
  try {
    await makeDirectories(place);
    await chmod(place, 0o711); // whatever the umask is: the job's user must pass through
    for (const directory of [workspace, temporary]) makeOwned(directory, user);
    writeFileSync(canary, "");
    const sandbox = { workspace, temporary, data: directories.data, hasNetwork: false };
    const argv = ["/bin/sh", "-c", PROOF, "sh", canary];
    const command = new JobCommand(argv, { sandbox, workspace, temporary, user });
    const { exitCode: code, stdout, stderr } = await command.result;
    if (code === 0 && existsSync(join(workspace, "proof"))) return { isPossible: true };
    const said = `${stdout}${stderr}`.trim().split("\n")[0] ?? "";
    return no(`bubblewrap does not work here: ${said || `exit code ${code}`}`);
  } catch (error) {
    if (error instanceof WorkspaceError)
      return no(`bubblewrap does not work here: ${error.message}`);
    throw error;
  } finally {
    await removeTree(place);
    await removeTree(canary);
  }
}

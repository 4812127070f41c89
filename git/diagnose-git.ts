// What git, its locks and its workspaces are like on this machine, found out by trying, for `croft doctor`.
import { statfsSync } from "node:fs";
import { type Check, checkNamed } from "./check.ts";
import { GitError } from "./command/git-error.ts";
import {
  isGitTooOld,
  missingFixes,
  OLDEST_GIT,
  parseGitVersion,
  RECOMMENDED_GIT,
} from "./command/git-version.ts";
import { proveProfile } from "./command/prove-profile.ts";
import { gitText } from "./command/run-git.ts";
import { type DiskRoom, roomOnDisk } from "./disk/disk-room.ts";
import { openGitDirectories } from "./disk/git-directories.ts";
import { proveLock } from "./lock/prove-lock.ts";
import { type Ability, detectPlatform, type Platform } from "./platform/detect-platform.ts";
import { withProbeDirectory } from "./platform/probe-directory.ts";
import { jobUser } from "./sandbox/job-user.ts";

export interface DiagnosisPlace {
  /** An existing directory on the disk of the data directory. */
  readonly directory: string;
  /** False: nothing can be made in it, so that most cannot be tried. */
  readonly isUsable: boolean;
  /** Of the disk, kept free; a part of it unless it is given. */
  readonly reserveBytes?: number | undefined;
}

/** Always the same checks in the same order, also when some could not be made; leaves nothing behind. */
export async function diagnoseGit(
  { directory, isUsable, reserveBytes }: DiagnosisPlace,
  signal?: AbortSignal,
): Promise<Check[]> {
  const inGeneral = [checkDisk(directory, reserveBytes), await checkVersion()];
  if (!isUsable) return [...inGeneral, ...untried(PROOFS, "nothing can be written there")];
  try {
    return await withProbeDirectory(directory, async (probe) => {
      const ofGit = [await checkProfile(probe), await checkLock(probe)];
      signal?.throwIfAborted();
      return [...inGeneral, ...ofGit, ...(await checkPlatform(probe))];
    });
  } catch (error) {
    signal?.throwIfAborted();
    return [...inGeneral, ...untried(PROOFS, wordsOf(error))];
  }
}

const OF_PLATFORM = ["overlay", "sandbox", "job-user"];
const PROOFS = ["git-profile", "lock", ...OF_PLATFORM];

function untried(names: readonly string[], reason: string): Check[] {
  return names.map((name) => checkNamed(name).warning(`not tried: ${reason}`));
}

const LOW_BYTES = 1024 ** 3;
const TMPFS = 0x01_02_19_94;

function checkDisk(directory: string, reserve: number | undefined): Check {
  const check = checkNamed("disk");
  let room: DiskRoom;
  try {
    room = roomOnDisk(directory, reserve);
  } catch (error) {
    return check.failed(wordsOf(error)); // a link to nothing, or a disk that is gone
  }
  const { bytes, files, reserveBytes } = room;
  const detail = `${inWords(Math.max(0, bytes))} may still be used`;
  const advice = "free some, or put CROFT_DATA on a larger disk";
  if (bytes <= 0) {
    const rest = inWords(Math.max(0, bytes + reserveBytes));
    return check.failed(`it is full: the last ${rest} are kept for the database`, advice);
  }
  if (files !== undefined && files <= 0) return check.failed("it can hold no more files", advice);
  if (bytes < LOW_BYTES) return check.warning(`it is nearly full: ${detail}`, advice);
  if (process.platform === "linux" && statfsSync(directory).type === TMPFS) {
    return check.warning(
      `${detail}, but it is memory (tmpfs)`,
      "put CROFT_DATA on a disk, or everything is gone when the machine is restarted",
    );
  }
  return check.ok(detail);
}

async function checkVersion(): Promise<Check> {
  const check = checkNamed("git-version");
  const install = `install git ${RECOMMENDED_GIT} or newer`;
  let text: string;
  try {
    text = (await gitText(["version"])).replace(/^git version /, "");
  } catch (error) {
    return check.failed(whyNoGit(error), install);
  }
  const version = parseGitVersion(text);
  if (version === undefined || isGitTooOld(version)) {
    return check.failed(`'${text}' is not ${OLDEST_GIT} or newer, which Croft needs`, install);
  }
  const missing = missingFixes(version);
  if (missing.length === 0) return check.ok(text);
  return check.warning(
    `${text} is older than the fixes of ${missing.join(", ")}`,
    `${install}; where your system's git has these fixes under its old number, all is well`,
  );
}

function whyNoGit(error: unknown): string {
  const cause = error instanceof GitError ? error.cause : undefined;
  return (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT"
    ? "git is not installed, or not where the system's programs are"
    : wordsOf(error);
}

async function checkProfile(probe: string): Promise<Check> {
  const check = checkNamed("git-profile");
  try {
    const { findings } = await proveProfile(probe);
    const namesOf = (outcome: string) =>
      findings.filter((finding) => finding.outcome === outcome).map(({ what }) => what);
    const unsafe = namesOf("unsafe");
    if (unsafe.length === 0) return check.ok(`without effect: ${namesOf("safe").join(", ")}`);
    return check.failed(
      `not switched off: ${unsafe.join(", ")}`,
      "do not let Croft use this git: a repository could run code with it",
    );
  } catch (error) {
    return check.failed(`could not be proven: ${wordsOf(error)}`);
  }
}

async function checkLock(probe: string): Promise<Check> {
  const check = checkNamed("lock");
  const { outcome, detail } = await proveLock(probe);
  if (outcome === "safe") return check.ok(detail);
  return check.failed(
    detail,
    "put CROFT_DATA on a local disk: some network filesystems have no working locks",
  );
}

async function checkPlatform(probe: string): Promise<Check[]> {
  const user = jobUser();
  let platform: Platform;
  try {
    platform = await detectPlatform(await openGitDirectories(probe, user !== undefined), user);
  } catch (error) {
    return untried(OF_PLATFORM, wordsOf(error));
  }
  const { overlay, sandbox } = platform;
  return [
    checkAbility("overlay", overlay, "a workspace is a mount, however large the repository"),
    checkAbility("sandbox", sandbox, "a job sees its workspace, and nothing of others or Croft"),
    checkJobUser(platform),
  ];
}

function checkAbility(name: string, ability: Ability, possible: string): Check {
  const check = checkNamed(name);
  if (ability.isPossible) return check.ok(possible);
  return check.warning(`not possible: ${ability.reason}`, ability.advice);
}

function checkJobUser({ sandbox, jobUser: user }: Platform): Check {
  const check = checkNamed("job-user");
  const whom = user === undefined ? "the user of Croft itself" : `user ${user.uid}`;
  if (sandbox.isPossible) return check.ok(`jobs run as ${whom}, each in its sandbox`);
  const reach = user === undefined ? "each other's files and all of Croft's" : "each other's files";
  return check.warning(
    `all jobs run as ${whom} and can reach ${reach}`,
    "run only jobs that you trust, or make the sandbox possible",
  );
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function inWords(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

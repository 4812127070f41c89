// Takes a pack that a job made into its owner's results, after proving that it brings nothing the job could not read.
import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";
import { packFiles } from "../checkout/lay-out-repository.ts";
import { GitError } from "../command/git-error.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, isCommitId } from "../remote/commit-id.ts";
import { WorkspaceError } from "../workspace/workspace-error.ts";
import type { Attempt, ResultRepository } from "./result-repository.ts";

export interface Incoming {
  /** A place in staging, ours alone; the pack lies in it as `incoming.pack`. */
  readonly place: string;
  readonly commit: CommitId;
  readonly base: CommitId;
  readonly ref: string;
  readonly attempt: Attempt;
}

const LISTING_BYTES_MAX = 256 * 1024 * 1024;

/** A delta of a few bytes can claim a size of many gigabytes: git refuses a single object that needs more memory. */
export const MODEST = { GIT_ALLOC_LIMIT: "1g" };

/** As when they are fetched: a job may merge old history that has them. */
const OLD_FAULTS = ["badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode"]
  .map((fault) => `${fault}=ignore`)
  .join(",");

export function incomingPack(place: string): string {
  return join(place, "objects/pack/incoming.pack");
}

export function prepareQuarantine(place: string): void {
  mkdirSync(join(place, "objects/pack"), { recursive: true, mode: 0o700 });
}

/**
 * The pack is read in a quarantine that has no other objects, so a delta cannot be made against anything the job did not
 * send; and whatever is new in its history must be in the pack itself, so it cannot name what it never had. Therefore the
 * pack is whole, not thin: 14 changes in 30,000 files are a few kilobytes more.
 */
export async function takeIn(results: ResultRepository, incoming: Incoming): Promise<void> {
  const { place, commit, base, ref, attempt } = incoming;
  const packs = join(place, "objects/pack");
  const quarantine = { GIT_OBJECT_DIRECTORY: join(place, "objects") };
  const options: RunGitOptions = { gitDir: results.gitDir, timeoutMs: 10 * 60_000 };
  await results.hold("open results", async () => results.requireCurrent(attempt));
  if (commit !== base) {
    requireModest(incomingPack(place));
    const args = ["index-pack", "--no-rev-index", incomingPack(place)];
    const variables = { ...quarantine, ...MODEST };
    const hash = await gitText(args, { ...options, variables }).catch(refuse);
    await requireSound(results, incoming, quarantine);
    renamePack(packs, hash.trim().split(/\s/).at(-1) ?? "");
  } else {
    await requireCommit(commit, options);
  }
  await results.hold("record a result", async (descriptor) => {
    results.requireCurrent(attempt);
    if (commit !== base) moveIn(packs, join(results.gitDir, "objects/pack"));
    const held = { ...options, lockDescriptors: [descriptor] };
    await runGit(["update-ref", "--end-of-options", ref, commit], held);
  });
}

const OBJECTS_MAX = 500_000;

/** A pack says in its head how many objects it has; a small one can have millions. */
function requireModest(pack: string): void {
  const head = Buffer.alloc(12);
  const descriptor = openSync(pack, "r");
  const bytesRead = readSync(descriptor, head);
  closeSync(descriptor);
  const objects = bytesRead < head.length ? 0 : head.readUInt32BE(8);
  if (objects > OBJECTS_MAX) refuse(new Error(`it has more than ${OBJECTS_MAX} objects`));
}

/** What is wrong with the disk is not wrong with the result. */
function refuse(error: unknown): never {
  if (error instanceof GitError && ["disk-full", "not-writable"].includes(error.code)) throw error;
  const said = complaintIn(error) ?? (error instanceof Error ? error.message : String(error));
  throw new WorkspaceError("result-refused", `the job's result is refused: ${said}`, error);
}

/** The last line of git says that an object is bad, an earlier one says which and why. */
function complaintIn(error: unknown): string | undefined {
  if (!(error instanceof GitError)) return undefined;
  return /^error: (.*)$/m.exec(error.details.stderr ?? "")?.[1];
}

/** Well-formed, with all it names; and everything reachable from the commit but not from its base came in the pack. */
async function requireSound(
  results: ResultRepository,
  { place, commit, base }: Incoming,
  quarantine: Readonly<Record<string, string>>,
): Promise<void> {
  const options: RunGitOptions = {
    gitDir: results.gitDir,
    timeoutMs: 10 * 60_000,
    maxOutputBytes: LISTING_BYTES_MAX,
    variables: {
      ...quarantine,
      ...MODEST,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(results.gitDir, "objects")),
    },
  };
  // A second reading, now with the objects it may refer to: the checks of .gitattributes and .gitmodules need them.
  const again = ["index-pack", "--no-rev-index", `--strict=${OLD_FAULTS}`];
  const index = join(place, "strict.idx");
  await runGit([...again, "-o", index, incomingPack(place)], options).catch(refuse);
  await requireCommit(commit, options);
  const sent = await sentObjects(place, options);
  const args = ["rev-list", "--objects", "--no-object-names", commit, "--not", base];
  const { stdout } = await runGit(args, options).catch(refuse);
  for (const line of stdout.toString("latin1").split("\n")) {
    if (line !== "" && !sent.has(line)) {
      refuse(new Error(`object ${line} is named but was not sent`));
    }
  }
}

/** The list is parted by colons, and a path may have some. */
export function quotedPath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

export async function requireCommit(commit: CommitId, options: RunGitOptions): Promise<void> {
  const type = await gitText(["cat-file", "-t", commit], options).catch(refuse);
  if (type !== "commit") refuse(new Error(`${commit} is a ${type}`));
}

/** By its index, which we have made ourselves just now. */
async function sentObjects(place: string, options: RunGitOptions): Promise<Set<string>> {
  const input = readFileSync(join(place, "objects/pack/incoming.idx"));
  const { stdout } = await runGit(["show-index"], { ...options, input }).catch(refuse);
  const lines = stdout.toString("latin1").split("\n"); // offset, id, checksum
  return new Set(lines.map((line) => line.split(" ", 2)[1] ?? "").filter(isCommitId));
}

function renamePack(directory: string, hash: string): void {
  if (!isCommitId(hash)) refuse(new Error("git did not name the pack"));
  for (const end of ["pack", "idx"]) {
    renameSync(join(directory, `incoming.${end}`), join(directory, `pack-${hash}.${end}`));
  }
}

export function moveIn(from: string, to: string): void {
  for (const name of packFiles(from)) renameSync(join(from, name), join(to, name));
}

// Who descends from whom, and who is inside a directory, as /proc tells it.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { inheritedMark, readInheritedMark } from "./inherited-mark.ts";
import { readProcessState } from "./process-state.ts";

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended by itself
  }
}

/** Children first seen first; a process that is reparented meanwhile is found with its new parent. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const candidate of processIds()) {
    const parent = readProcessState(candidate)?.parent;
    if (parent === undefined) continue;
    children.set(parent, [...(children.get(parent) ?? []), candidate]);
  }
  const found: number[] = [];
  for (let open = children.get(pid) ?? []; open.length > 0; ) {
    found.push(...open);
    open = open.flatMap((one) => children.get(one) ?? []);
  }
  return found;
}

/** In the environment of every command of a job, with the path of its workspace. */
export const WORKSPACE_VARIABLE = "CROFT_WORKSPACE";
const PLACE_VARIABLES = [WORKSPACE_VARIABLE, "TMPDIR"];

/** What a Croft holds open as long as it lives, see life-lock.ts. */
const LIFE_FILE = /\/locks\/lives\/[0-9a-f]{16}$/;

/**
 * Processes of this user with their working directory, root, program or an open file in one of these directories, and
 * those whose environment or mark says that they belong there: a daemon leaves the directory it was started in. Those of
 * other users (an operator's shell, a backup) are nobody's to end, nor is another Croft that clears up there in this moment.
 */
export function processesIn(directories: readonly string[], uid: number): number[] {
  return processIds().filter((pid) => isInside(pid, directories, uid));
}

/** The same, in pieces. */
export async function findProcessesIn(
  directories: readonly string[],
  uid: number,
): Promise<number[]> {
  return await filterInPieces((pid) => isInside(pid, directories, uid));
}

function isInside(pid: number, directories: readonly string[], uid: number): boolean {
  const isPlace = (place: string) => directories.some((directory) => isIn(place, directory));
  if (pid === process.pid || userOf(pid) !== uid) return false;
  if (placesInEnvironment(pid).some(isPlace) || hasMark(pid, directories)) return true;
  const links = linksOf(pid);
  return links.some(isPlace) && !links.some((link) => LIFE_FILE.test(link));
}

export interface MarkedProcess {
  readonly pid: number;
  readonly workspace: string;
}

/** Processes of these users that were started for a workspace, wherever they are now. */
export function markedProcesses(users: ReadonlySet<number>): MarkedProcess[] {
  return processIds().flatMap((pid) => {
    const workspace = markOf(pid, users);
    return workspace === undefined ? [] : [{ pid, workspace }];
  });
}

/** Those of one workspace, in pieces. */
export async function findMarked(workspace: string, uid: number): Promise<number[]> {
  const users = new Set([uid]);
  const isMarked = (pid: number) => hasMark(pid, [workspace]) && userOf(pid) === uid;
  return await filterInPieces((pid) => markOf(pid, users) === workspace || isMarked(pid));
}

const PIECE_MS = 2;

/** Among a thousand processes it takes 40 ms, and everybody else waits for this thread. */
async function filterInPieces(isWanted: (pid: number) => boolean): Promise<number[]> {
  const found: number[] = [];
  let restAt = performance.now() + PIECE_MS;
  for (const pid of processIds()) {
    if (isWanted(pid)) found.push(pid);
    if (performance.now() < restAt) continue;
    await nextTurn();
    restAt = performance.now() + PIECE_MS;
  }
  return found;
}

/** Nothing else is to be seen of a dead one that nobody has collected, but its mark is. */
function hasMark(pid: number, directories: readonly string[]): boolean {
  const mark = readInheritedMark(pid);
  if (mark === undefined || !directories.some((one) => inheritedMark(one) === mark)) return false;
  return readProcessState(pid)?.isAlive === true;
}

function markOf(pid: number, users: ReadonlySet<number>): string | undefined {
  const user = userOf(pid);
  if (pid === process.pid || user === undefined || !users.has(user)) return undefined;
  const mark = readText(pid, "environ")
    .split("\0")
    .find((text) => text.startsWith(`${WORKSPACE_VARIABLE}=`));
  return mark?.slice(WORKSPACE_VARIABLE.length + 1);
}

function placesInEnvironment(pid: number): string[] {
  return readText(pid, "environ")
    .split("\0")
    .flatMap((text) => {
      const at = text.indexOf("=");
      return PLACE_VARIABLES.includes(text.slice(0, at)) ? [text.slice(at + 1)] : [];
    });
}

/** The real user, which a program cannot hide. */
function userOf(pid: number): number | undefined {
  const found = /^Uid:\s+(\d+)/m.exec(readText(pid, "status"))?.[1];
  return found === undefined ? undefined : Number(found);
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // not Linux
    throw error;
  }
}

function linksOf(pid: number): string[] {
  const links = [readLink(pid, "cwd"), readLink(pid, "root"), readLink(pid, "exe")];
  let descriptors: string[] = [];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    // It has ended, or is another user's: then it cannot be in a directory of ours either.
  }
  for (const descriptor of descriptors) links.push(readLink(pid, `fd/${descriptor}`));
  return links.filter((link) => link !== undefined);
}

function isIn(link: string, directory: string): boolean {
  const path = link.replace(/ \(deleted\)$/, "");
  return path === directory || path.startsWith(`${directory}/`);
}

function readLink(pid: number, name: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined; // ended meanwhile, or not ours to see
  }
}

function readText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}

// Whether a data directory can be used, found out without making it or changing anything in it.
import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Check, checkNamed, type DiagnosisPlace, jobUser } from "@croft/git";
import { requireOwnOrEmpty } from "./data-directory.ts";
import { firstClosedTo } from "./first-closed-to.ts";

export interface DataDirectoryInspection {
  readonly check: Check;
  /** Where the rest can be tried: in the directory, or above it while it is not there. */
  readonly place: DiagnosisPlace;
}

const CHOOSE = "choose another with CROFT_DATA";

export async function inspectDataDirectory(data: string): Promise<DataDirectoryInspection> {
  const existing = await nearestExisting(data);
  try {
    await requireUsable(data, existing);
    const place = { directory: existing, isUsable: true };
    return { check: await checkUsers(data, existing), place };
  } catch (error) {
    const place = { directory: existing, isUsable: false };
    return { check: explained(error as NodeJS.ErrnoException, data), place };
  }
}

/** A link counts, wherever it leads: a start would not make another in its place. */
async function nearestExisting(path: string): Promise<string> {
  const isThere = await lstat(path).then(
    () => true,
    () => false, // absent, below a file, or in a directory closed to us: each shows one step higher
  );
  return isThere || path === dirname(path) ? path : await nearestExisting(dirname(path));
}

async function requireUsable(data: string, existing: string): Promise<void> {
  if (!(await stat(existing)).isDirectory()) throw new Error(`'${existing}' is not a directory`);
  await access(existing, constants.W_OK | constants.X_OK);
  if (existing === data) await requireOwnOrEmpty(data);
}

function explained({ code, path, message }: NodeJS.ErrnoException, data: string): Check {
  const check = checkNamed("data-directory");
  const reasons: Record<string, string> = {
    EACCES: `user ${process.getuid?.()} may not read and write '${path}'`,
    EROFS: `'${path}' is read-only`,
    ENOENT: `'${path}' leads nowhere`,
  };
  const reason = reasons[code ?? ""] ?? message;
  const advice = code === "EACCES" ? `give that user the right, or ${CHOOSE}` : CHOOSE;
  return check.failed(`'${data}' cannot be used: ${reason}`, advice);
}

/** PostgreSQL and jobs run as other users when Croft is root: both must get there. */
async function checkUsers(data: string, existing: string): Promise<Check> {
  const check = checkNamed("data-directory");
  const user = jobUser();
  const closed = user === undefined ? undefined : await firstClosedTo(existing, user.uid);
  if (closed !== undefined) {
    return check.failed(
      `'${data}' cannot be reached by the users of PostgreSQL and of jobs: '${closed}' is closed to them`,
      `${CHOOSE}, or let others pass through ('chmod o+x ${closed}')`,
    );
  }
  if (existing !== data) {
    return check.ok(`'${data}' is not there yet; the rest was tried in '${existing}'`);
  }
  const { uid } = await stat(data);
  const own = process.getuid?.();
  if (own === undefined || uid === own) return check.ok(`'${data}'`);
  return check.warning(
    `'${data}' belongs to user ${uid}, and what is said here holds for user ${own}`,
    "run 'croft doctor' as the user that Croft runs as",
  );
}

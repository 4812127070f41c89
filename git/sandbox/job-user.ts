// As whom commands of jobs run, when Croft is root: neither as Croft nor as PostgreSQL.
import { hasCapabilities } from "../platform/capabilities.ts";

export interface JobUser {
  readonly uid: number;
  readonly gid: number;
}

/** Not 65534, which is PostgreSQL's: a job could read its files and signal it. */
const DEFAULT: JobUser = { uid: 65_533, gid: 65_533 };

/**
 * Only root can run commands as somebody else, give files away and remove what is not its own; and only if a container
 * has left it these rights. Otherwise jobs share the user of Croft.
 */
export function jobUser(chosen: JobUser = DEFAULT): JobUser | undefined {
  const isAble = hasCapabilities("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID");
  return process.getuid?.() === 0 && isAble ? chosen : undefined;
}

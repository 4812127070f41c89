// As whom commands of jobs run, when Croft is root: neither as Croft nor as PostgreSQL.

export interface JobUser {
  readonly uid: number;
  readonly gid: number;
}

/** Not 65534, which is PostgreSQL's: a job could read its files and signal it. */
const DEFAULT: JobUser = { uid: 65_533, gid: 65_533 };

/** Only root can run commands as somebody else; otherwise jobs share the user of Croft. */
export function jobUser(chosen: JobUser = DEFAULT): JobUser | undefined {
  return process.getuid?.() === 0 ? chosen : undefined;
}

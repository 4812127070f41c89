// Tells an error that means "the database is away for now" from one that means "the statement is wrong".

/** Connection refused or lost. Files have some of these too, so it counts what was done: nothing of this is done to a file. */
const SYSTEM_CODES = {
  connect: [
    ...["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EAGAIN"],
    ...["EHOSTUNREACH", "ENETUNREACH"],
  ],
  getaddrinfo: ["ENOTFOUND", "EAI_AGAIN"],
  read: ["ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  write: ["ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
} as const satisfies Record<string, readonly string[]>;
/** PostgreSQL's own codes for stopping, starting, and having no room. */
const SQL_STATES = /^(08|53|57P0|57014|55P03|25P03)/; // the last three: waited too long
const DISK_FULL = "53100";
/** pg gives these no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // All addresses of one host were tried.
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const { code, syscall = "" } = error as NodeJS.ErrnoException;
  if (MESSAGES.test(error.message)) return true;
  if (code === undefined) return false;
  const codes: readonly string[] = Object.hasOwn(SYSTEM_CODES, syscall)
    ? SYSTEM_CODES[syscall as keyof typeof SYSTEM_CODES]
    : [];
  return SQL_STATES.test(code) || codes.includes(code);
}

/** It answers, and can keep nothing more: away for now as well, until somebody makes room. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === DISK_FULL;
}

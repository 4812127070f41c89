// Tells an error that means "the database is away for now" from one that means "the statement is wrong".

/** Connection refused or lost, and PostgreSQL's own codes for stopping, starting, and having no room. */
const SYSTEM_CODES = [
  ...["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "ENOTFOUND"],
  ...["EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
];
const SQL_STATES = /^(08|53|57P0|57014|55P03|25P03)/; // the last three: waited too long
/** pg gives these no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (MESSAGES.test(error.message)) return true;
  if (code === undefined) return false;
  return SQL_STATES.test(code) || (SYSTEM_CODES.includes(code) && syscall !== "open");
}

// Waits for the operator or the system to ask the process to end.

/** npm sends on the signal that the terminal has sent already: two at the same moment are one. */
const SAME_MOMENT_MS = 1000;

/** Resolves with the signal's name; asking once more, later, ends the process at once. */
export function waitForStop(): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && Date.now() - askedAt > SAME_MOMENT_MS) process.exit(1);
        askedAt ??= Date.now();
        resolve(signal);
      });
    }
  });
}

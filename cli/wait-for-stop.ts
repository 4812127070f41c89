// Waits for the operator or the system to ask the process to end.

/** Resolves with the signal's name; a second one ends the process at once. */
export function waitForStop(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}

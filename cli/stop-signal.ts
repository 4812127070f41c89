// Waits for the operator or the system to ask the process to end.
import { readFileSync } from "node:fs";

/** npm sends on the signal that the terminal has sent already: two at the same moment are one. */
const SAME_MOMENT_MS = 1000;

/** Aborted with the signal's name as reason; asking once more, later, ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let askedAt: number | undefined;
  const signals: NodeJS.Signals[] = isHangUpIgnored()
    ? ["SIGINT", "SIGTERM"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) {
    process.on(signal, () => {
      if (askedAt !== undefined && Date.now() - askedAt > SAME_MOMENT_MS) process.exit(1);
      askedAt ??= Date.now();
      stop.abort(signal);
    });
  }
  return stop.signal;
}

/** Under nohup the end of the terminal is not meant to end the server. */
function isHangUpIgnored(): boolean {
  if (process.platform !== "linux") return false;
  const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return (BigInt(`0x${ignored ?? "0"}`) & 1n) === 1n;
}

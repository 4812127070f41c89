// Which of root's rights this process really has: in a container, often only some.
import { readFileSync } from "node:fs";

/** As the kernel numbers them. */
const NUMBERS = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  FOWNER: 3,
  KILL: 5,
  SETGID: 6,
  SETUID: 7,
  SYS_ADMIN: 21,
} as const;

export type Capability = keyof typeof NUMBERS;

/** Where the kernel does not tell, whoever is root has all of them. */
export function hasCapabilities(...wanted: readonly Capability[]): boolean {
  let status: string;
  try {
    status = readFileSync("/proc/self/status", "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return process.getuid?.() === 0;
    throw error;
  }
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return wanted.every((name) => ((effective >> BigInt(NUMBERS[name])) & 1n) === 1n);
}

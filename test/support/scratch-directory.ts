// A directory of its own for one test, gone when the test ends.

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

/** Who clears up, and when: usually the test itself, at its end. */
export type AtEnd = (clearUp: () => Promise<void>) => void;

/** Open to other users, because tests run servers as them. */
export async function scratchDirectory(atEnd: AtEnd = onTestFinished): Promise<string> {
  const path = join(inject("scratch"), randomUUID().slice(0, 8));
  await mkdir(path, { recursive: true, mode: 0o755 });
  atEnd(() => rm(path, { recursive: true, force: true }));
  return path;
}

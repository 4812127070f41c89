// A directory of its own for one test, gone when the test ends.

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

/** Open to other users, because tests run servers as them. */
export async function scratchDirectory(): Promise<string> {
  const path = join(inject("scratch"), randomUUID().slice(0, 8));
  await mkdir(path, { recursive: true, mode: 0o755 });
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

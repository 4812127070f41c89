// The name a mirror has while it is decided whether it goes: out of everybody's sight, and back if it stays.
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const LEAVING = /^\.(.+\.git)\.leaving$/;

export function leavingName(gitDir: string): string {
  return join(dirname(gitDir), `.${basename(gitDir)}.leaving`);
}

/** Whose name it is; undefined for other names. */
export function whoLeaves(name: string): string | undefined {
  return LEAVING.exec(name)?.[1];
}

/** Only under the long lock: who went to remove it has died, or has found that it is wanted. */
export async function bringBack(gitDir: string): Promise<boolean> {
  const leaving = leavingName(gitDir);
  if (existsSync(gitDir) || !existsSync(leaving)) return false;
  await rename(leaving, gitDir);
  return true;
}

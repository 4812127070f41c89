// A filesystem of its own in a file: what was on the disk before does not slow the measurements down, and all goes at once.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FreshDisk {
  readonly path: string;
  remove(): void;
}

/** Only what is written takes room: about 10 GB. */
const SIZE = "40G";
const BYTES_PER_INODE = 8192;

/** An ordinary directory where the machine cannot mount one. */
export function openFreshDisk(): FreshDisk {
  const directory = mkdtempSync(join(tmpdir(), "croft-bench-"));
  const path = join(directory, "disk");
  mkdirSync(path);
  const isMounted = mountImage(join(directory, "image"), path);
  for (const each of [directory, path]) chmodSync(each, 0o711); // jobs have a user of their own
  return {
    path,
    remove: () => {
      if (isMounted) execFileSync("umount", [path]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function mountImage(image: string, path: string): boolean {
  try {
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    run("truncate", "-s", SIZE, image);
    run("mkfs.ext4", "-q", "-F", "-i", String(BYTES_PER_INODE), image);
    run("mount", "-o", "loop,noinit_itable", image, path);
    return true;
  } catch (error) {
    process.stdout.write(`on the disk as it is, without one of its own: ${error}\n`);
    return false;
  }
}

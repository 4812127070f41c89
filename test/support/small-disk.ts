// A small filesystem of its own, that a test can fill up.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { unmountBelow } from "./unmount-below.ts";

export interface SmallDisk {
  readonly path: string;
  /** Leaves so many bytes; what is taken is given back by `free`. */
  fill(leaveBytes: number): void;
  /** Leaves room for so many more files. */
  fillWithFiles(leaveFiles: number): void;
  free(): void;
  resize(sizeMiB: number, files: number): void;
}

export interface SmallDiskSize {
  readonly sizeMiB: number;
  readonly files?: number;
}

/** Memory that behaves like a disk; overlays can be made on it. Only for root. */
export function mountSmallDisk(
  path: string,
  { sizeMiB, files = 20_000 }: SmallDiskSize,
): SmallDisk {
  mkdirSync(path);
  const size = (mebibytes: number, inodes: number) =>
    `size=${mebibytes}m,nr_inodes=${inodes},mode=755`;
  execFileSync("mount", ["-t", "tmpfs", "-o", size(sizeMiB, files), "tmpfs", path]);
  onTestFinished(() => unmountBelow(path));
  const ballast = join(path, "ballast");
  mkdirSync(ballast);
  return {
    path,
    fill: (leaveBytes) => {
      const { bavail, bsize } = statfsSync(path);
      const takeBytes = bavail * bsize - leaveBytes;
      execFileSync("fallocate", ["-l", String(takeBytes), join(ballast, "bytes")]);
    },
    fillWithFiles: (leaveFiles) => {
      const { ffree } = statfsSync(path);
      for (let number = 0; number < ffree - leaveFiles; number++) {
        writeFileSync(join(ballast, String(number)), "");
      }
    },
    free: () => {
      rmSync(ballast, { recursive: true });
      mkdirSync(ballast);
    },
    resize: (mebibytes, inodes) => {
      execFileSync("mount", ["-o", `remount,${size(mebibytes, inodes)}`, path]);
    },
  };
}

// How much of a disk may still be used: not all of it, or nothing else that lives there could go on.
import { type StatsFs, statfsSync } from "node:fs";
import { statfs } from "node:fs/promises";

/** For everything else, PostgreSQL above all, whose log grows by 16 MiB at a time and to 1 GiB: else nothing could even be deleted. */
const RESERVE_BYTES_MAX = 1024 ** 3;
const RESERVE_BYTES_MIN = 32 * 1024 ** 2;
const RESERVE_SHARE = 0.05;
const RESERVE_FILES = 100;

/** What may still be used: without the reserve, which may already be touched (then it is negative). */
export interface DiskRoom {
  readonly bytes: number;
  /** Undefined on filesystems without a table of inodes. */
  readonly files: number | undefined;
  readonly reserveBytes: number;
}

/** `reserveBytes`: instead of a part of the disk. */
export function roomOnDisk(path: string, reserveBytes?: number): DiskRoom {
  return roomOf(statfsSync(path), reserveBytes);
}

/** For whoever asks often: a shared disk may take its time to answer. */
export async function readRoomOnDisk(path: string, reserveBytes?: number): Promise<DiskRoom> {
  return roomOf(await statfs(path), reserveBytes);
}

function roomOf({ bavail, bsize, blocks, files, ffree }: StatsFs, given?: number): DiskRoom {
  const share = Math.min(RESERVE_BYTES_MAX, blocks * bsize * RESERVE_SHARE);
  const reserveBytes = given ?? Math.max(RESERVE_BYTES_MIN, share);
  return {
    bytes: bavail * bsize - reserveBytes,
    files: files > 0 ? ffree - RESERVE_FILES : undefined,
    reserveBytes,
  };
}

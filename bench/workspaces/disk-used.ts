// How much of the disk a directory takes for itself, in bytes.
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const STAT_BLOCK_BYTES = 512;
/** The directory under a mount cannot be seen; an empty one takes a block. */
const MOUNT_POINT_BYTES = 4096;

/** Without what is mounted in it, and without files that are linked elsewhere too: removing those frees nothing. */
export function diskUsed(path: string): number {
  return usedBelow(path, lstatSync(dirname(path)).dev);
}

function usedBelow(path: string, device: number): number {
  const stat = lstatSync(path);
  if (stat.dev !== device) return MOUNT_POINT_BYTES;
  const own = stat.blocks * STAT_BLOCK_BYTES;
  if (!stat.isDirectory()) return stat.nlink > 1 ? 0 : own;
  const inside = readdirSync(path).map((name) => usedBelow(join(path, name), device));
  return inside.reduce((sum, bytes) => sum + bytes, own);
}

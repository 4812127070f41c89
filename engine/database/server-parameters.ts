// How much of the disk PostgreSQL's log may take before it is written down and used again.
import { roomOnDisk } from "@croft/git";

const MIB = 1024 ** 2;
/** Two of its pieces at least; PostgreSQL's own defaults at most. */
const KEPT_MIB_MAX = 80;
const MIB_MIN = 32;
const MIB_MAX = 1024;

/** On a small disk it may not grow beyond what files leave free for it. */
export function walSizes(path: string) {
  const reserveMib = Math.floor(roomOnDisk(path).reserveBytes / MIB);
  const maxMib = Math.min(Math.max(MIB_MIN, reserveMib), MIB_MAX);
  return { max_wal_size: `${maxMib}MB`, min_wal_size: `${Math.min(KEPT_MIB_MAX, maxMib)}MB` };
}

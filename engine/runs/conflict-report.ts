// What an integration tells of itself: what was merged, and what was not, with the files that stood in the way.
import type { Integration } from "@croft/git";

export interface ConflictReport {
  readonly integrated: string[];
  readonly conflicts: {
    id: string;
    reason: string;
    files: string[];
    /** How many more there are than are listed. */
    files_left_out: number;
  }[];
}

/** A result has to fit into a row, whatever jobs have done to how many files. */
const FILES_MAX = 2000;
const FILES_LENGTH_MAX = 200_000;

export function conflictReport({
  integrated,
  conflicts,
}: Omit<Integration, "commit">): ConflictReport {
  const share = Math.max(1, Math.floor(FILES_MAX / Math.max(1, conflicts.length)));
  let room = FILES_LENGTH_MAX;
  return {
    integrated: [...integrated],
    conflicts: conflicts.map(({ id, reason, files }) => {
      const listed: string[] = [];
      for (const file of files.slice(0, share)) {
        if (file.length > room) break;
        room -= file.length;
        listed.push(file);
      }
      return { id, reason, files: listed, files_left_out: files.length - listed.length };
    }),
  };
}

// Scripts that stand in for git and the tools: they run the real program under strace, to write down or to break into its system calls.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** All that change something on the disk; those that this machine does not have are passed over. */
const CALLS = [
  ...["rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"],
  ...["unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "write", "writev", "pwrite64", "pwritev"],
  ...["fsync", "fdatasync", "ftruncate", "truncate", "fallocate", "copy_file_range", "sendfile"],
  ...["chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utimensat"],
  ...["mount", "umount2"],
];

/** For `strace -e trace=`. */
export const MUTATING_CALLS = CALLS.map((name) => `?${name}`).join(",");

/*
 * With -D the program keeps its number and its parent. A process is known by the number of the child it belongs to, and
 * by what it is: `3.git.index-pack` is the index-pack of the third program that was started.
 */
const SCRIPT = `#!/bin/sh
what=\${0##*/}
if [ "$what" = git ]; then
  for word; do case $word in -*) ;; *) break ;; esac; done
  what=git.$word
fi
key=$FAULT_CHILD.$what
if [ "$FAULT_MODE" = record ]; then
  exec strace -D -qq -y -o "$FAULT_LOG/$key" -e "trace=$FAULT_CALLS" REAL "$@"
elif [ "$FAULT_KEY" = "$key" ]; then
  echo $$ > "$FAULT_LOG/pid"
  exec strace -D -q -o "$FAULT_LOG/pid.trace" -e "trace=$FAULT_CALL" -e "inject=$FAULT_CALL:signal=$FAULT_SIGNAL:when=$FAULT_WHEN" REAL "$@"
fi
exec REAL "$@"
`;

/** Returns their directory. */
export function writePrograms(directory: string): string {
  const programs = join(directory, "programs");
  mkdirSync(programs, { mode: 0o755 });
  for (const name of ["git", "mount", "umount", "sync"]) {
    const real = execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" });
    writeFileSync(join(programs, name), SCRIPT.replaceAll("REAL", real.trim()), { mode: 0o755 });
  }
  return programs;
}

// What a command in the sandbox sees: its workspace, the system read-only, and nothing of Croft's.
import { lstatSync, readlinkSync } from "node:fs";

export interface SandboxPlan {
  /** Writable, at its own path, so that what tools print can be found from outside too. */
  readonly workspace: string;
  /** Becomes /tmp: on the disk, not in memory, and gone with the workspace. */
  readonly temporary: string;
  /** Hidden as a whole, wherever it lies. */
  readonly data: string;
  /** What else may be written, at its own path: the repository that a worktree belongs to. */
  readonly writable?: readonly string[] | undefined;
  readonly hasNetwork: boolean;
}

/** Programs, libraries and their settings; homes, mounts and other people's data are not among them. */
const SYSTEM = ["/usr", "/etc", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];

/** What `resolv.conf` often leads to. */
const NETWORK = ["/run/systemd/resolve"];

const SHARED_MEMORY_BYTES = String(256 * 1024 ** 2);

/**
 * Capabilities are dropped, because a bubblewrap that root started would keep all of them and the command could remount
 * what is read-only (measured). The process namespace is what makes the end certain: with its first process all others go.
 */
export function sandboxArguments(plan: SandboxPlan): string[] {
  const { workspace, temporary, data, writable = [], hasNetwork } = plan;
  const hidden = hiddenRoot(data);
  return [
    ...["--unshare-all", ...(hasNetwork ? ["--share-net"] : [])],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...SYSTEM.flatMap(bindSystem),
    ...(hasNetwork ? NETWORK.flatMap(bindSystem) : []),
    ...["--proc", "/proc", "--dev", "/dev", "--size", SHARED_MEMORY_BYTES, "--tmpfs", "/dev/shm"],
    ...["--bind", temporary, "/tmp"],
    ...["--tmpfs", hidden, "--bind", workspace, workspace],
    ...writable.flatMap((path) => ["--bind", path, path, ...closed(path)]),
    // What bubblewrap made itself lies in memory: nobody may fill it.
    ...["--remount-ro", hidden, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", workspace],
  ];
}

/**
 * The job writes /tmp. Were a directory on the way to the data made in there, an earlier command could leave a symbolic
 * link in its place and have bubblewrap make the rest outside of the sandbox (measured).
 */
function hiddenRoot(data: string): string {
  return /^\/tmp\/[^/]+/.exec(data)?.[0] ?? data;
}

/** Of a repository that can be written: what would make its owner's git run programs. */
const RUN_BY_GIT = ["config", "config.worktree", "hooks", "info"];

function closed(repository: string): string[] {
  return RUN_BY_GIT.map((name) => `${repository}/${name}`).flatMap((path) => [
    "--ro-bind-try",
    path,
    path,
  ]);
}

function bindSystem(path: string): string[] {
  try {
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

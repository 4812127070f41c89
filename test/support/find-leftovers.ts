// What must not be there when nobody works any more: mounts, directories, lock files, half packs, registrations, processes.
import { type Dirent, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** `repositories` are common directories: the mirror's, a developer's. */
export function findLeftovers(data: string, repositories: readonly string[] = []): string[] {
  const empty = ["workspaces", "workspaces/.parts", "workspaces/.ledger", "staging", "trash"];
  return [
    ...empty.flatMap((name) => entriesOf(join(data, name)).filter((path) => !isFrame(path))),
    ...mountsBelow(data).map((path) => `mount ${path}`),
    ...processesIn(data).map((pid) => `process ${pid}`),
    ...repositories.flatMap(leftoversInRepository),
  ];
}

function isFrame(path: string): boolean {
  return path.endsWith("/.parts") || path.endsWith("/.ledger");
}

function leftoversInRepository(gitDir: string): string[] {
  const files = filesBelow(gitDir).map((entry) => join(entry.parentPath, entry.name));
  const isStale = (path: string) =>
    (/\.lock$/.test(path) && !path.endsWith("/croft.lock")) ||
    /\/(tmp_|\.tmp-)[^/]*$/.test(path) ||
    path.includes("/refs/incoming/");
  return [...files.filter(isStale), ...entriesOf(join(gitDir, "worktrees"))];
}

function filesBelow(directory: string): Dirent[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true, recursive: true });
}

function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : [];
}

function mountsBelow(directory: string): string[] {
  const points = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return points
    .map((line) => line.split(" ")[4] ?? "")
    .filter((path) => path.startsWith(directory));
}

/** By command line, environment or working directory. */
function processesIn(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const told = ["cmdline", "environ"].map((name) =>
          readFileSync(`/proc/${pid}/${name}`, "utf8"),
        );
        const stands = readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
        return stands || told.some((text) => text.includes(directory));
      } catch {
        return false; // it ended meanwhile
      }
    });
}

// The list of workspaces of this host: written before anything is made, so that no crash leaves something unknown.
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isProcessAlive, type ProcessIdentity, thisProcess } from "../command/process-identity.ts";
import { makeDirectories } from "../disk/make-directories.ts";

export type WorkspaceKind = "overlay" | "clone" | "worktree";

/** Whose work it is; told in locks, logs and reports. */
export interface WorkspaceOwner {
  /** The tenant: results of one are never seen by another. */
  readonly owner: string;
  readonly runId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly attempt?: number | undefined;
}

export interface LedgerEntry extends WorkspaceOwner {
  readonly id: string;
  readonly kind: WorkspaceKind;
  /** The checkout. */
  readonly path: string;
  /** The remote's address; of a worktree, the common directory of the repository it belongs to. */
  readonly repository: string;
  readonly branch?: string | undefined;
  /** Layers that must not go while it exists: directories below `templates/`. */
  readonly layers?: readonly string[] | undefined;
  readonly process: ProcessIdentity;
  readonly createdAt: string;
}

/** The engine keeps it in its database, with leases; alone, this package keeps it in files. */
export interface WorkspaceLedger {
  /** False when the id is taken: another must be drawn. */
  add(entry: LedgerEntry): Promise<boolean>;
  /** Its removal begins; a ledger that nobody looks at meanwhile need not know. */
  removing?(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  list(): Promise<LedgerEntry[]>;
  /** Whether somebody still works in it. */
  isLive(entry: LedgerEntry): Promise<boolean>;
  /** Removes what writers left who were killed. */
  sweep(): Promise<void>;
}

export class FileLedger implements WorkspaceLedger {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Without waiting in between: it is a few system calls, and each wait would cost more than all of them. */
  async add(entry: LedgerEntry): Promise<boolean> {
    if (!existsSync(this.#directory)) await makeDirectories(this.#directory, 0o700);
    const { pid, start } = thisProcess();
    const draft = join(this.#directory, `.${entry.id}.${pid}.${start}.draft`);
    try {
      writeFileSync(draft, JSON.stringify(entry));
      linkSync(draft, this.#fileOf(entry.id)); // whole or not at all, and never over another
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  async remove(id: string): Promise<void> {
    rmSync(this.#fileOf(id), { force: true });
  }

  async list(): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (const name of await this.#names()) {
      if (!/^[^.].*\.json$/.test(name)) continue;
      const text = await readIfThere(join(this.#directory, name));
      if (text !== undefined) entries.push(parseEntry(text) ?? this.#remains(name));
    }
    return entries;
  }

  async isLive({ process }: LedgerEntry): Promise<boolean> {
    return isProcessAlive(process);
  }

  async sweep(): Promise<void> {
    for (const name of await this.#names()) {
      const [, pid, start] = /^\..*\.(\d+)\.([\da-f-]*)\.draft$/.exec(name) ?? [];
      if (pid === undefined || start === undefined) continue;
      if (isProcessAlive({ pid: Number(pid), start })) continue;
      await rm(join(this.#directory, name), { force: true });
    }
  }

  /** Written whole, so only a power loss can have cut it: its process is dead, and its name still tells the place. */
  #remains(name: string): LedgerEntry {
    const id = name.replace(/\.json$/, "");
    return {
      ...{ id, kind: "overlay", path: join(dirname(this.#directory), id), repository: "" },
      ...{ owner: "", process: { pid: 0, start: "0" }, createdAt: new Date(0).toISOString() },
    };
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  #fileOf(id: string): string {
    return join(this.#directory, `${id}.json`);
  }
}

function parseEntry(text: string): LedgerEntry | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined; // removed meanwhile
    throw error;
  }
}

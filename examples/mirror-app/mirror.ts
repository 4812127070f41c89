// One folder a watch, changed file by file; everything may be done twice, and stopped anywhere.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReceivedFiles } from "@croft/receiver";
import { childOf, removeOlder } from "./file-tree.ts";
import { Folder } from "./folder.ts";

/** All of it is synchronous: messages that come at once are applied one after the other. */
export class Mirror {
  readonly #folder: string;
  /** Files are written here and moved into place, so that none is ever half there. */
  readonly #scratch: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#scratch = join(folder, ".croft/scratch");
    rmSync(this.#scratch, { recursive: true, force: true }); // of a process that was killed
    mkdirSync(this.#scratch, { recursive: true });
    mkdirSync(join(folder, ".croft/resets"), { recursive: true });
  }

  apply({ watch, sync, files }: ReceivedFiles): void {
    const version = sync.number;
    const resetVersion = this.#resetVersion(watch.id);
    if (version < resetVersion) return; // it tells of what was forgotten since
    const root = Buffer.from(join(this.#folder, watch.id));
    mkdirSync(root, { recursive: true });
    if (sync.reset && version > resetVersion) {
      removeOlder(root, version);
      this.#rememberReset(watch.id, version);
    }
    const folder = new Folder({ root, scratch: Buffer.from(this.#scratch), version });
    for (const file of files) {
      if (file.change === "deleted") folder.remove(file.path);
      else if (file.content === undefined)
        folder.clear(file.path); // a submodule: nothing of ours
      else folder.write(file.path, file.mode, file.content);
    }
  }

  /** The last sync that began anew; 0 if none did. */
  #resetVersion(watchId: string): number {
    try {
      return Number(readFileSync(this.#resetFile(watchId), "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
      throw error;
    }
  }

  #rememberReset(watchId: string, version: number): void {
    const scratch = childOf(Buffer.from(this.#scratch), Buffer.from("reset"));
    writeFileSync(scratch, String(version));
    renameSync(scratch, this.#resetFile(watchId));
  }

  #resetFile(watchId: string): string {
    return join(this.#folder, ".croft/resets", watchId);
  }
}

// The cache of read-only checkouts that overlays are laid on: built once a commit, kept within a budget.
import { existsSync, readdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import {
  BLOCK_BYTES,
  INDEX_ENTRY_BYTES,
  measureTree,
  requireWithin,
  type TreeLimits,
  type TreeSize,
} from "../checkout/measure-tree.ts";
import { runTool } from "../command/run-tool.ts";
import type { DiskAdmission } from "../disk/disk-admission.ts";
import {
  type GitDirectories,
  moveToTrash,
  removeTree,
  stagingPlace,
} from "../disk/git-directories.ts";
import { makeDirectories } from "../disk/make-directories.ts";
import { unmountBelow } from "../disk/mount-overlay.ts";
import type { RepositoryLocks } from "../lock/repository-lock.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { CommitId } from "../remote/commit-id.ts";
import type { JobUser } from "../sandbox/job-user.ts";
import { buildDelta, buildWhole, type TemplateSource } from "./build-template.ts";
import { type ChangedFile, hasAttributes, listChanges } from "./change-list.ts";
import { measureChanges } from "./measure-changes.ts";
import { currentBoot, readMarker, type TemplateMarker, writeMarker } from "./template-marker.ts";

export interface TemplatesOptions {
  readonly directories: GitDirectories;
  readonly locks: RepositoryLocks;
  readonly admission: DiskAdmission;
  readonly owner: JobUser | undefined;
  readonly limits?: TreeLimits | undefined;
  /** Failures of what nobody waits for: syncing, flattening. */
  readonly onBackgroundError: (what: string, error: unknown) => void;
}

export interface Template {
  readonly directory: string;
  /** Lower layers of an overlay, the topmost first. */
  readonly layers: readonly string[];
  readonly files: number;
}

/** More layers make every lookup slower; the kernel's option string ends at about 60. */
export const DEPTH_MAX = 8;
const CHANGES_MAX = 5000;
const CHANGES_SHARE_MAX = 0.25;
const BUILD_TIMEOUT_MS = 15 * 60_000;
const SYNC_MS = 10 * 60_000;
const TOUCH_EVERY_MS = 60_000;
/** What a layer has besides files: its `.git`, and directories. */
const LAYER_FILES = 100;

export class Templates {
  readonly #options: TemplatesOptions;
  readonly #building = new Map<string, Promise<Template>>();
  readonly #background = new Set<Promise<void>>();

  constructor(options: TemplatesOptions) {
    this.#options = options;
  }

  /** Where the templates of a repository lie. */
  directoryOf({ gitDir }: Mirror): string {
    return join(this.#options.directories.templates, basename(gitDir, ".git"));
  }

  /** Built if it is not there. Whoever uses it must have its layers in the ledger first, or a sweep may take them. */
  async get(mirror: Mirror, commit: CommitId): Promise<Template> {
    const found = this.find(mirror, commit);
    if (found !== undefined) return found;
    const key = join(this.directoryOf(mirror), commit);
    const building = this.#building.get(key) ?? this.#build(mirror, commit);
    this.#building.set(key, building);
    try {
      return await building;
    } finally {
      if (this.#building.get(key) === building) this.#building.delete(key);
    }
  }

  /** A whole one is preferred to one in layers. */
  find(mirror: Mirror, commit: CommitId): Template | undefined {
    const directory = this.directoryOf(mirror);
    for (const form of ["f", "d"]) {
      const template = openTemplate(join(directory, `${commit}${form}`));
      if (template !== undefined) return template;
    }
    return undefined;
  }

  /** What was begun in the background is done. */
  async idle(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  /** One at a time for each repository, in all processes: the next can then build on the last. */
  async #build(mirror: Mirror, commit: CommitId): Promise<Template> {
    const home = this.directoryOf(mirror);
    const request = { purpose: "build a template", timeoutMs: BUILD_TIMEOUT_MS };
    return await this.#options.locks.holdLong(home, request, async () => {
      await makeDirectories(home, 0o700); // under the lock: with an unwanted mirror it goes
      const found = this.find(mirror, commit); // by another process, while we waited
      return found ?? (await this.#make({ mirror, commit, home }));
    });
  }

  async #make({ mirror, commit, home }: Plan): Promise<Template> {
    const base = await this.#nearest(mirror, commit, home);
    if (base === undefined) return await this.#makeWhole({ mirror, commit, home });
    const template = await this.#makeDelta({ mirror, commit, home }, base);
    if (template.layers.length >= DEPTH_MAX) this.#flatten({ mirror, commit, home });
    return template;
  }

  async #makeWhole({ mirror, commit, home }: Plan): Promise<Template> {
    const size = await measureTree(mirror.gitDir, commit, this.#options.limits);
    return await this.#publish(
      home,
      { commit, size, layer: size, layers: [`${commit}f`] },
      (place) => buildWhole(this.#source(mirror, commit), place, size.files),
    );
  }

  async #makeDelta({ mirror, commit, home }: Plan, { base, changes }: Base): Promise<Template> {
    const { tree: size, written } = await measureChanges(mirror.gitDir, base.marker, changes);
    requireWithin(size, this.#options.limits);
    const layers = [`${commit}d`, ...base.marker.layers];
    // The index is written anew. What is gone leaves a mark behind, and directories above come along.
    const layer = {
      files: written.files + changes.length + LAYER_FILES,
      bytes: written.bytes + size.files * INDEX_ENTRY_BYTES + changes.length * BLOCK_BYTES,
    };
    const below = base.marker.layers.map((name) => join(home, name, "tree"));
    return await this.#publish(home, { commit, size, layer, layers }, (place) =>
      buildDelta(this.#source(mirror, commit), place, { layers: below, changes }),
    );
  }

  /** Made in staging, marked, renamed in: whoever sees it sees all of it. */
  async #publish(home: string, made: Made, build: (place: string) => Promise<void>) {
    const { directories, admission } = this.#options;
    const { commit, size, layers, layer } = made;
    const place = stagingPlace(directories, "template");
    return await admission.admit(`a template of ${size.files} files`, layer, async () => {
      try {
        await build(place);
        const marker: TemplateMarker = {
          ...{ version: 1, commit, layers, ...size, layerBytes: layer.bytes },
          ...{ boot: currentBoot(), isSynced: false },
        };
        writeMarker(place, marker);
        const directory = join(home, layers[0] ?? "");
        await this.#discard(directory); // one that is there has a marker that cannot be trusted
        renameSync(place, directory);
        this.#inBackground("sync a template", () => this.#sync(directory, marker));
        return templateOf(directory, marker);
      } catch (error) {
        await unmountBelow(place);
        await removeTree(place);
        throw error;
      }
    });
  }

  async #discard(directory: string): Promise<void> {
    if (!existsSync(directory)) return;
    const doomed = await moveToTrash(this.#options.directories, directory);
    if (doomed !== undefined) await removeTree(doomed);
  }

  /** The one used last is the most likely to be near. */
  async #nearest(mirror: Mirror, commit: CommitId, home: string): Promise<Base | undefined> {
    const candidates = readTemplates(home)
      .filter(({ marker }) => marker.layers.length < DEPTH_MAX)
      .sort((left, right) => right.usedAtMs - left.usedAtMs);
    const base = candidates[0];
    if (base === undefined) return undefined;
    const { commit: from, files } = base.marker;
    const max = Math.min(CHANGES_MAX, Math.ceil(files * CHANGES_SHARE_MAX));
    const limits = { changes: max, files: files + max };
    const changes = await listChanges(mirror.gitDir, from, commit, limits);
    return changes === undefined || hasAttributes(changes) ? undefined : { base, changes };
  }

  /** So that the next one has a short way down again. */
  #flatten({ mirror, commit, home }: Plan): void {
    this.#inBackground("flatten a template", async () => {
      const request = { purpose: "flatten a template", timeoutMs: BUILD_TIMEOUT_MS };
      await this.#options.locks.holdLong(home, request, async () => {
        await makeDirectories(home, 0o700);
        if (openTemplate(join(home, `${commit}f`)) === undefined) {
          await this.#makeWhole({ mirror, commit, home });
        }
      });
    });
  }

  /** Only then is it worth anything after a power loss. Meanwhile it may have been evicted, and made again on another base. */
  async #sync(directory: string, marker: TemplateMarker): Promise<void> {
    const { exitCode, stderr } = await runTool("sync", ["-f", directory], { timeoutMs: SYNC_MS });
    const request = { purpose: "mark a template as synced", timeoutMs: BUILD_TIMEOUT_MS };
    await this.#options.locks.holdLong(join(directory, ".."), request, async () => {
      if (JSON.stringify(readMarker(directory)) !== JSON.stringify(marker)) return;
      if (exitCode !== 0) throw new Error(`cannot sync '${directory}': ${stderr.trim()}`);
      const { atime, mtime } = statSync(directory);
      writeMarker(directory, { ...marker, isSynced: true });
      utimesSync(directory, atime, mtime); // nobody has used it now
    });
  }

  #inBackground(what: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#options.onBackgroundError(what, error))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }

  #source(mirror: Mirror, commit: CommitId): TemplateSource {
    const { locks, owner } = this.#options;
    return { mirror, commit, locks, owner };
  }
}

interface Plan {
  readonly mirror: Mirror;
  readonly commit: CommitId;
  readonly home: string;
}

interface Made {
  readonly commit: CommitId;
  readonly size: TreeSize;
  /** Of it, what this layer adds. */
  readonly layer: TreeSize;
  readonly layers: readonly string[];
}

interface Base {
  readonly base: StoredTemplate;
  readonly changes: readonly ChangedFile[];
}

export interface StoredTemplate {
  readonly directory: string;
  readonly marker: TemplateMarker;
  readonly usedAtMs: number;
}

/** Every one below a repository's directory that can be trusted, with the layers it needs. */
export function readTemplates(home: string): StoredTemplate[] {
  return readdirSync(home)
    .filter((name) => /^[0-9a-f]{40,64}[fd]$/.test(name))
    .flatMap((name) => {
      const directory = join(home, name);
      const marker = readMarker(directory);
      if (marker === undefined || !hasLayers(home, marker)) return [];
      const usedAtMs = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return [{ directory, marker, usedAtMs }];
    });
}

function openTemplate(directory: string): Template | undefined {
  const marker = readMarker(directory);
  if (marker === undefined || !hasLayers(join(directory, ".."), marker)) return undefined;
  touch(directory);
  return templateOf(directory, marker);
}

/** By this the least recently used is found. */
function touch(directory: string): void {
  const now = Date.now();
  const usedAtMs = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? now;
  if (now - usedAtMs <= TOUCH_EVERY_MS) return;
  try {
    utimesSync(directory, now / 1000, now / 1000);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // evicted at this moment: the mount will tell
  }
}

function hasLayers(home: string, { layers }: TemplateMarker): boolean {
  return layers.slice(1).every((layer) => readMarker(join(home, layer)) !== undefined);
}

function templateOf(directory: string, { layers, files }: TemplateMarker): Template {
  const home = join(directory, "..");
  return { directory, layers: layers.map((layer) => join(home, layer, "tree")), files };
}

// Keeps the templates within their budget: the least recently used go first, never one that something stands on.
import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type GitDirectories, moveToTrash, removeTree } from "../disk/git-directories.ts";
import { LockTimeout, type RepositoryLocks } from "../lock/repository-lock.ts";
import { readTemplates, type StoredTemplate } from "../template/templates.ts";
import type { WorkspaceLedger } from "../workspace/ledger.ts";
import type { SweepLog } from "./sweep-report.ts";

export interface TemplateSweepParts {
  readonly directories: GitDirectories;
  readonly ledger: WorkspaceLedger;
  readonly locks: RepositoryLocks;
  readonly budgetBytes: number;
}

export async function sweepTemplates(parts: TemplateSweepParts, log: SweepLog): Promise<void> {
  const { directories, budgetBytes } = parts;
  const templates: StoredTemplate[] = [];
  for (const name of readdirSync(directories.templates)) {
    const home = join(directories.templates, name);
    await log.part(home, async () => {
      templates.push(...(await sweepBroken(home, parts, log)));
    });
  }
  let sizeBytes = templates.reduce((sum, { marker }) => sum + marker.layerBytes, 0);
  for (const { directory, marker } of leaves(templates)) {
    if (sizeBytes <= budgetBytes) break;
    await log.attempt(directory, async () => {
      const isGone = await evict(join(directory, ".."), basename(directory), parts);
      if (isGone) sizeBytes -= marker.layerBytes;
      return isGone;
    });
  }
}

/** All of one repository, from the topmost layer down. Those in use stay; says whether none is left. */
export async function removeTemplates(home: string, parts: TemplateSweepParts): Promise<boolean> {
  for (let isGoing = true; isGoing; ) {
    isGoing = false;
    for (const name of namesIn(home)) {
      const isOurs = OURS.test(name);
      if (isOurs && (await evict(home, name, parts, isUnneeded))) isGoing = true;
    }
  }
  const request = { purpose: "remove the place of templates", timeoutMs: BUSY_AFTER_MS };
  try {
    return await parts.locks.holdLong(home, request, async () => {
      if (!existsSync(home)) return true;
      if (namesIn(home).length > 0) return false;
      await rmdir(home);
      return true;
    });
  } catch (error) {
    if (error instanceof LockTimeout) return false; // one is being built
    throw error;
  }
}

function namesIn(home: string): string[] {
  return existsSync(home) ? readdirSync(home) : [];
}

function isUnneeded(home: string, name: string): boolean {
  return isLeaf(home, name) || isBroken(home, name);
}

const OURS = /^[0-9a-f]{40,64}[fd](\.leaving)?$/;
const LEAVING = /\.leaving$/;

/** Removes those without a marker that can be trusted, and those on their way out when their remover died; returns the rest. */
async function sweepBroken(
  home: string,
  parts: TemplateSweepParts,
  log: SweepLog,
): Promise<StoredTemplate[]> {
  if (!statSync(home).isDirectory()) {
    log.keep(home, "not made by Croft; remove it by hand");
    return [];
  }
  const names = readdirSync(home);
  const trusted = readTemplates(home); // after the names: one that was made in between is none of them
  for (const name of names) {
    const path = join(home, name);
    if (!OURS.test(name)) log.keep(path, "not made by Croft; remove it by hand");
    else if (!trusted.some(({ directory }) => directory === path)) {
      await log.attempt(path, () => evict(home, name, parts, isBroken));
    }
  }
  return trusted;
}

function isBroken(home: string, name: string): boolean {
  return !readTemplates(home).some(({ directory }) => basename(directory) === name);
}

/** Oldest first; those on which another stands only after it, in a later sweep. */
function leaves(templates: readonly StoredTemplate[]): StoredTemplate[] {
  const oldestFirst = [...templates].sort((left, right) => left.usedAtMs - right.usedAtMs);
  const below = new Set(
    templates.flatMap(({ directory, marker }) =>
      marker.layers.slice(1).map((layer) => join(directory, "..", layer)),
    ),
  );
  return oldestFirst.filter(({ directory }) => !below.has(directory));
}

/** Whether another was built on it since the sweep looked. */
function isLeaf(home: string, name: string): boolean {
  return !readTemplates(home).some(({ marker }) => marker.layers.slice(1).includes(name));
}

const BUSY_AFTER_MS = 100;

/** Under the lock of the builders: while one is built, nobody knows on which others it stands. */
async function evict(
  home: string,
  name: string,
  parts: TemplateSweepParts,
  isStillDue: (home: string, name: string) => boolean = isLeaf,
): Promise<boolean> {
  const request = { purpose: "evict a template", timeoutMs: BUSY_AFTER_MS };
  try {
    return await parts.locks.holdLong(home, request, async () => {
      if (!existsSync(join(home, name)) || !isStillDue(home, name)) return false;
      return await evictUnused(home, name, parts);
    });
  } catch (error) {
    if (error instanceof LockTimeout) return false; // busy: the next sweep comes by
    throw error;
  }
}

/**
 * Renamed first, then looked at again: who entered the ledger before the rename is seen now, who comes after it does not
 * find the template any more.
 */
async function evictUnused(home: string, name: string, parts: TemplateSweepParts) {
  const { directories, ledger } = parts;
  const original = join(home, name.replace(LEAVING, ""));
  if (await isInUse(original, ledger)) return false;
  const leaving = `${original}.leaving`;
  if (!LEAVING.test(name)) {
    await discard(leaving, directories); // of a remover who died, and unused too: it went by the same name
    renameSync(original, leaving);
  }
  if (await isInUse(original, ledger)) {
    if (!existsSync(original)) renameSync(leaving, original);
    return false;
  }
  await discard(leaving, directories);
  return true;
}

async function discard(path: string, directories: GitDirectories): Promise<void> {
  const doomed = await moveToTrash(directories, path);
  if (doomed !== undefined) await removeTree(doomed);
}

async function isInUse(directory: string, ledger: WorkspaceLedger): Promise<boolean> {
  return (await ledger.list()).some(({ layers = [] }) => layers.includes(directory));
}

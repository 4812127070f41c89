// Keeps the templates within their budget: the least recently used go first, never one that something stands on.
import { existsSync, readdirSync, renameSync } from "node:fs";
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
    const trusted = readTemplates(home);
    templates.push(...trusted);
    const names = new Set(trusted.map(({ directory }) => basename(directory)));
    for (const other of readdirSync(home)) {
      // Without a marker that can be trusted, or on its way out when its remover died.
      if (!names.has(other)) await log.attempt(join(home, other), () => evict(home, other, parts));
    }
  }
  let sizeBytes = templates.reduce((sum, { marker }) => sum + marker.layerBytes, 0);
  for (const template of leaves(templates)) {
    if (sizeBytes <= budgetBytes) break;
    await log.attempt(template.directory, async () => {
      const { directory, marker } = template;
      const isGone = await evict(join(directory, ".."), basename(directory), parts);
      if (isGone) sizeBytes -= marker.layerBytes;
      return isGone;
    });
  }
}

/** Oldest first; those on which another stands only after it. */
function leaves(templates: readonly StoredTemplate[]): StoredTemplate[] {
  const oldestFirst = [...templates].sort((left, right) => left.usedAtMs - right.usedAtMs);
  const isBelow = (one: StoredTemplate, other: StoredTemplate) =>
    one !== other &&
    join(one.directory, "..") === join(other.directory, "..") &&
    other.marker.layers.includes(basename(one.directory));
  return oldestFirst.filter((one) => !templates.some((other) => isBelow(one, other)));
}

const LEAVING = /\.leaving$/;
const BUSY_AFTER_MS = 100;

/**
 * Renamed first, then looked at again: who entered the ledger before the rename is seen now, who comes after it does not
 * find the template any more.
 */
async function evict(home: string, name: string, parts: TemplateSweepParts): Promise<boolean> {
  const request = { purpose: "evict a template", timeoutMs: BUSY_AFTER_MS };
  try {
    // While one is built, nobody knows on which others it stands.
    return await parts.locks.holdLong(home, request, () => evictUnused(home, name, parts));
  } catch (error) {
    if (error instanceof LockTimeout) return false; // busy: the next sweep comes by
    throw error;
  }
}

async function evictUnused(home: string, name: string, parts: TemplateSweepParts) {
  const { directories, ledger } = parts;
  const original = join(home, name.replace(LEAVING, ""));
  if (await isInUse(original, ledger)) return false;
  const leaving = `${original}.leaving`;
  if (!LEAVING.test(name)) renameSync(original, leaving);
  if (await isInUse(original, ledger)) {
    if (!existsSync(original)) renameSync(leaving, original);
    return false;
  }
  const doomed = await moveToTrash(directories, leaving);
  if (doomed !== undefined) await removeTree(doomed);
  return true;
}

async function isInUse(directory: string, ledger: WorkspaceLedger): Promise<boolean> {
  return (await ledger.list()).some(({ layers = [] }) => layers.includes(directory));
}

// Makes git trust a fresh index: entries written in the same second as their files are read again at every `git status`.
import { linkSync, lutimesSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CheckoutPlace, checkoutOptions } from "../checkout/check-out.ts";
import { type RunGitOptions, runGit } from "../command/run-git.ts";

/** Two seconds: whatever a job writes from now on has a later time than any file of the template, in whole seconds. */
const PAST_MS = 2000;
/** Above this, waiting for the next second costs less than touching every file. */
export const TOUCHED_FILES_MAX = 2000;

/** Above this, looking at every file costs less than looking for these: 1,000 of 100,000 took 2 s instead of 0.1 s. */
const NAMED_FILES_MAX = 50;

/** The kernel's time of files is up to a tick behind the clock. */
const TICK_MS = 20;

/** Where a template's layer is made. */
export interface LayerPlace {
  /** Its files, as they lie on the disk: below an overlay that is still mounted, if it is one. */
  readonly tree: string;
  /** Beside them; need not exist. */
  readonly links: string;
}

/**
 * For few files: their time is set back, then git looks at them (and only at them) once more. Some it then takes for
 * modified: those with line ends that `.gitattributes` forbids, which it accepts only from its own hand.
 */
export async function settleFiles(
  place: CheckoutPlace,
  paths: readonly Buffer[],
  layer: LayerPlace,
): Promise<void> {
  if (paths.length === 0) return;
  linkFiles(paths, layer);
  const when = (Date.now() - PAST_MS) / 1000;
  for (const path of paths) lutimesSync(below(place.path, path), when, when);
  const options = checkoutOptions(place);
  const input = Buffer.concat(paths.flatMap((path) => [path, Buffer.from("\0")]));
  const modified =
    paths.length > NAMED_FILES_MAX
      ? await refreshAll(options)
      : await refreshNamed({ ...options, input });
  if (modified.length === 0) return;
  await runGit(["checkout-index", "-f", "-u", "-z", "--stdin"], { ...options, input });
  await settleAll(place);
}

/** Git compares each of these names with every entry of the index; it would do so three times to preload it. */
async function refreshNamed(options: RunGitOptions): Promise<Buffer> {
  const flags = ["--refresh", "--verbose", "--pathspec-from-file=-", "--pathspec-file-nul"];
  const config = [...(options.config ?? []), ["core.preloadIndex", "false"]] as const;
  const variables = { GIT_LITERAL_PATHSPECS: "1" };
  const { stdout } = await runGit(["add", ...flags], { ...options, config, variables });
  return stdout;
}

async function refreshAll(options: RunGitOptions): Promise<Buffer> {
  const args = ["update-index", "--ignore-submodules", "--refresh"];
  const { stdout } = await runGit(args, { ...options, answers: [1] });
  return stdout;
}

/** For many: the index gets a time in a later second than its files, and nobody may use it before. */
export async function settleAll({ path }: CheckoutPlace): Promise<void> {
  const nextSecond = Math.floor(Date.now() / 1000) * 1000 + 1000;
  await delay(nextSecond - Date.now() + TICK_MS);
  const now = Date.now() / 1000;
  utimesSync(join(path, ".git/index"), now, now);
}

/**
 * A file of two names gets another inode number when an overlay above copies it, and so git looks into it. Otherwise an
 * edit within this very second, of the same size and with its time put back, would not be seen: the time of the inode's
 * own change, which nobody can put back, is compared in whole seconds only.
 */
function linkFiles(paths: readonly Buffer[], { tree, links }: LayerPlace): void {
  mkdirSync(links);
  for (const [number, path] of paths.entries()) {
    linkSync(below(tree, path), join(links, String(number)));
  }
}

function below(directory: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${directory}/`), path]);
}

// Which files of a tree somebody wants to hear of: those of `include`, without those of `exclude` and the ignore file's.
import { GitError } from "../command/git-error.ts";
import { expandBraces } from "./expand-braces.ts";
import type { IgnoreFile } from "./ignore-file.ts";
import { compilePattern, type Effort, matchesPath, type PathPattern } from "./path-pattern.ts";

// Globs from the top of the tree: `docs/**`, `*.md` (there only), `**/*.{md,mdx}`; names with a dot are like others.
export interface FileFilters {
  /** All files without it. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export const PATTERNS_MAX = 100;
export const PATTERN_LENGTH_MAX = 256;
const ALTERNATIVES_MAX = 64;

/** So much for each path, and a good start: rules of a repository that cost more are refused, not waited for. */
const STEPS_PER_PATH = 20_000;
const STEPS_AHEAD = 50_000_000;

export class FilterError extends Error {
  override readonly name = "FilterError";
  readonly code = "invalid-filter";
}

/** Why it cannot be used; undefined when it can. */
export function patternFault(pattern: string): string | undefined {
  if (pattern === "") return "is empty";
  if (pattern.length > PATTERN_LENGTH_MAX) return `is longer than ${PATTERN_LENGTH_MAX}`;
  if (pattern.includes("\0")) return "contains NUL";
  if (pattern.startsWith("!")) return "begins with '!': use 'exclude' instead";
  if (pattern.startsWith("/"))
    return "begins with '/': patterns begin at the top of the tree anyway";
  if (pattern.endsWith("/")) return "ends with '/': add '**' for all files below";
  const alternatives = expandBraces(pattern, ALTERNATIVES_MAX);
  if (alternatives === undefined) return `has more than ${ALTERNATIVES_MAX} alternatives`;
  const isSound = alternatives.every((each) => compilePattern(each) !== undefined);
  return isSound ? undefined : "has a bracket that is not closed, or a backslash at its end";
}

/** Throws a FilterError that names the pattern. */
export function requireFilters({ include = [], exclude = [] }: FileFilters): void {
  for (const patterns of [include, exclude]) {
    if (patterns.length > PATTERNS_MAX) {
      throw new FilterError(`there are more than ${PATTERNS_MAX} patterns`);
    }
    for (const pattern of patterns) {
      const fault = patternFault(pattern);
      if (fault !== undefined) throw new FilterError(`pattern '${pattern.slice(0, 80)}' ${fault}`);
    }
  }
}

export class PathFilters {
  readonly #include: readonly PathPattern[] | undefined;
  readonly #exclude: readonly PathPattern[];
  readonly #ignore: IgnoreFile | undefined;
  readonly #effort = new LimitedEffort();

  constructor(filters: FileFilters, ignore?: IgnoreFile) {
    requireFilters(filters);
    const { include = [], exclude = [] } = filters;
    this.#include = include.length === 0 ? undefined : include.flatMap(compileAll);
    this.#exclude = exclude.flatMap(compileAll);
    this.#ignore = ignore;
  }

  /** Bytes that are no UTF-8 stand for a letter that no pattern names. */
  selects(path: Buffer): boolean {
    const include = this.#include;
    const isAll = include === undefined && this.#exclude.length === 0;
    if (isAll && this.#ignore === undefined) return true;
    this.#effort.nextPath();
    const parts = path.toString("utf8").split("/");
    const matches = (pattern: PathPattern) =>
      matchesPath(pattern, parts, parts.length, this.#effort);
    return (
      (include === undefined || include.some(matches)) &&
      !this.#exclude.some(matches) &&
      this.#ignore?.hides(parts, this.#effort) !== true
    );
  }
}

class LimitedEffort implements Effort {
  #left = STEPS_AHEAD;

  nextPath(): void {
    this.#left += STEPS_PER_PATH;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw tooCostly();
  }
}

function compileAll(pattern: string): PathPattern[] {
  const alternatives = expandBraces(pattern, ALTERNATIVES_MAX) ?? [];
  return alternatives.map(compilePattern).filter((compiled) => compiled !== undefined);
}

function tooCostly(): GitError {
  const reason = "the filters or '.croftignore' take too long to apply: use fewer or simpler rules";
  return new GitError("rejected", reason, { command: "diff-tree" });
}

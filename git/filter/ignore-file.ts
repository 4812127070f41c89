// Which paths an ignore file hides, by the rules of .gitignore for one at the top of the tree.
import { compilePattern, type Effort, matchesPath, type PathPattern } from "./path-pattern.ts";

interface Rule {
  readonly pattern: PathPattern;
  /** Shows again what an earlier rule hides. */
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Without a slash it is about names, wherever they stand. */
  readonly isForNames: boolean;
}

export const IGNORE_BYTES_MAX = 256 * 1024;
const RULES_MAX = 2000;
const LENGTH_MAX = 1024;
const REMEMBERED_MAX = 10_000;

export class IgnoreFile {
  readonly #rules: readonly Rule[];
  /** By the path of a directory: of all files in it the same is asked. */
  readonly #directories = new Map<string, boolean>();

  /** Throws for one with more rules, or longer ones, than anybody needs. */
  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, "").split("\n");
    this.#rules = lines.flatMap((line, index) => readRule(line.replace(/\r$/, ""), index + 1));
    if (this.#rules.length > RULES_MAX) throw new Error(`it has more than ${RULES_MAX} rules`);
  }

  /** What is in a hidden directory is hidden, whatever later rules say. */
  hides(parts: readonly string[], effort: Effort): boolean {
    let directory = "";
    for (let count = 1; count < parts.length; count++) {
      directory += `${parts[count - 1]}/`;
      if (this.#hidesDirectory(directory, parts, count, effort)) return true;
    }
    return this.#decide(parts, parts.length, false, effort);
  }

  #hidesDirectory(path: string, parts: readonly string[], count: number, effort: Effort): boolean {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const isHidden = this.#decide(parts, count, true, effort);
    if (this.#directories.size >= REMEMBERED_MAX) this.#directories.clear();
    this.#directories.set(path, isHidden);
    return isHidden;
  }

  /** The last rule that matches decides. */
  #decide(parts: readonly string[], count: number, isDirectory: boolean, effort: Effort): boolean {
    for (let at = this.#rules.length - 1; at >= 0; at--) {
      const rule = this.#rules[at];
      if (rule === undefined || (rule.isForDirectories && !isDirectory)) continue;
      const matches = rule.isForNames
        ? matchesPath(rule.pattern, [parts[count - 1] ?? ""], 1, effort)
        : matchesPath(rule.pattern, parts, count, effort);
      if (matches) return !rule.isNegated;
    }
    return false;
  }
}

function readRule(line: string, number: number): Rule[] {
  if (line.length > LENGTH_MAX) throw new Error(`line ${number} is longer than ${LENGTH_MAX}`);
  if (line === "" || line.startsWith("#")) return [];
  const isNegated = line.startsWith("!");
  const trimmed = withoutTrailingSpaces(isNegated ? line.slice(1) : line);
  const isForDirectories = trimmed.endsWith("/");
  const text = isForDirectories ? trimmed.slice(0, -1) : trimmed;
  const pattern = compilePattern(text.replace(/^\//, ""));
  if (pattern === undefined || text === "") return []; // can match nothing, as in git
  return [{ pattern, isNegated, isForDirectories, isForNames: !text.includes("/") }];
}

/** Those behind a backslash stay. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1 && end < line.length ? line.slice(0, end + 1) : line.slice(0, end);
}

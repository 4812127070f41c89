// Turns what zod found into sentences about the pipeline, each with its place.
import type { z } from "zod";
import { didYouMean } from "../nearest-name.ts";
import type { Path } from "../problem.ts";

export interface Finding {
  readonly path: Path;
  /** Whether the key is meant, or its value. */
  readonly target: "key" | "value";
  readonly message: string;
  readonly suggestion?: string | undefined;
}

type Issue = z.core.$ZodIssue;

/** `valueAt` gives what stands at a path below the root of what was checked. */
export function describeIssue(
  issue: Issue,
  valueAt: (path: Path) => unknown,
  base: Path = [],
): Finding[] {
  const path: Path = [...base, ...issue.path.map(partOf)];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(path, key, issue.message.split(" ")));
    case "invalid_key": {
      const reason = issue.issues[0]?.message ?? "not a valid name";
      return [{ path, target: "key", message: `'${cut(String(path.at(-1)))}': ${reason}` }];
    }
    case "invalid_union":
      return describeUnion(issue, path, valueAt);
    case "invalid_type":
    case "invalid_value":
      return [mismatch([issue], path, valueAt(path))];
    default:
      return [{ path, target: "value", message: issue.message }];
  }
}

function partOf(part: PropertyKey): string | number {
  return typeof part === "number" ? part : String(part);
}

function unknownKey(path: Path, key: string, known: readonly string[]): Finding {
  const suggestion = didYouMean(key, known);
  const hint = suggestion ?? (known.length <= 12 ? `known are ${known.join(", ")}` : undefined);
  const message = `unknown key '${cut(key)}'`;
  return { path: [...path, key], target: "key", message, suggestion: hint };
}

/** The branch that the writer meant is the one whose kind of value fits; its own problems are told. */
function describeUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: Path,
  valueAt: (path: Path) => unknown,
): Finding[] {
  const branches = branchesOf(issue);
  const meant = branches.find((branch) => !branch.some(isMismatch));
  if (meant === undefined)
    return [mismatch(branches.flat().filter(isMismatch), path, valueAt(path))];
  return meant.flatMap((inner) => describeIssue(inner, valueAt, path));
}

/** A union inside a union, at the same place, is one. */
function branchesOf(issue: Extract<Issue, { code: "invalid_union" }>): Issue[][] {
  return issue.errors.flatMap((branch): Issue[][] => {
    const [only] = branch;
    const isNested =
      branch.length === 1 && only?.code === "invalid_union" && only.path.length === 0;
    return isNested ? branchesOf(only) : [[...branch]];
  });
}

function isMismatch({ code, path }: Issue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value");
}

function mismatch(issues: readonly Issue[], path: Path, value: unknown): Finding {
  if (value === undefined) {
    return { path, target: "key", message: `'${String(path.at(-1) ?? "pipeline")}' is missing` };
  }
  const choices = issues.flatMap((issue) =>
    issue.code === "invalid_value" ? issue.values.map(String) : [],
  );
  const kinds = issues.flatMap((issue) =>
    issue.code === "invalid_type" ? [wordOf(issue.expected)] : [],
  );
  const wanted = [...new Set([...choices, ...kinds])];
  const message = `expected ${listOf(wanted)}, found ${foundWord(value)}`;
  const suggestion =
    typeof value === "string"
      ? didYouMean(value, choices)
      : kinds.includes("a text") && (typeof value === "number" || typeof value === "boolean")
        ? "put it in quotes"
        : undefined;
  return { path, target: "value", message, suggestion };
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
  null: "nothing",
};

function wordOf(expected: string): string {
  return WORDS[expected] ?? expected;
}

function foundWord(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return `'${cut(value)}'`;
  return typeof value === "number" ? `the number ${value}` : String(value);
}

function listOf(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? "something else";
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function cut(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line.length <= 60 ? line : `${line.slice(0, 57)}…`;
}

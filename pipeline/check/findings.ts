// Collects what is wrong, each with its place in the file.
import type { Finding } from "../format/describe-issue.ts";
import { PROBLEMS_MAX } from "../pipeline-limits.ts";
import { type Path, type Problem, pathText } from "../problem.ts";
import type { SourceText } from "../source-text.ts";
import { scalarOffset } from "../yaml/scalar-offset.ts";
import { keyOffset, nodeAt, valueOffset, type YamlNode } from "../yaml/yaml-node.ts";

export class Findings {
  readonly #file: string | undefined;
  readonly #source: SourceText;
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  #root: YamlNode | undefined;

  constructor(source: SourceText, file: string | undefined) {
    this.#source = source;
    this.#file = file;
  }

  /** From here on places are found by path. */
  setRoot(root: YamlNode): void {
    this.#root = root;
  }

  /** A mistake in a value; of something that is missing, at what should have it. */
  problem(path: Path, message: string, suggestion?: string): void {
    this.tell({ path, target: "value", message, suggestion });
  }

  /** A mistake in a key. */
  keyProblem(path: Path, message: string, suggestion?: string): void {
    this.tell({ path, target: "key", message, suggestion });
  }

  tell({ path, target, message, suggestion }: Finding): void {
    if (this.#isFull(this.#problems)) return;
    this.tellAt(this.#offset(path, target), path, message, suggestion);
  }

  tellAt(offset: number, path: Path, message: string, suggestion?: string): void {
    if (!this.#isFull(this.#problems))
      this.#problems.push(this.#at(offset, path, message, suggestion));
  }

  /** At one character of a text. */
  inText(path: Path, index: number, message: string, suggestion?: string): void {
    if (this.#isFull(this.#problems)) return; // before its place is looked for, which costs most
    this.tellAt(this.#textOffset(path, index), path, message, suggestion);
  }

  warning(path: Path, message: string, suggestion?: string): void {
    if (this.#isFull(this.#warnings)) return;
    this.#warn(this.#offset(path, "value"), path, message, suggestion);
  }

  warningInText(path: Path, index: number, message: string, suggestion?: string): void {
    if (this.#isFull(this.#warnings)) return;
    this.#warn(this.#textOffset(path, index), path, message, suggestion);
  }

  get problems(): readonly Problem[] {
    return inOrder(this.#problems);
  }

  get warnings(): readonly Problem[] {
    return inOrder(this.#warnings);
  }

  /** What was written at these places of the file. */
  textBetween(start: number, end: number): string {
    return this.#source.text.slice(start, end);
  }

  hasProblems(): boolean {
    return this.#problems.length > 0;
  }

  #isFull(found: readonly Problem[]): boolean {
    return found.length >= PROBLEMS_MAX;
  }

  #warn(offset: number, path: Path, message: string, suggestion?: string): void {
    if (!this.#isFull(this.#warnings))
      this.#warnings.push(this.#at(offset, path, message, suggestion));
  }

  #textOffset(path: Path, index: number): number {
    const node = this.#root === undefined ? undefined : nodeAt(this.#root, path);
    if (node?.kind !== "scalar") return this.#offset(path, "value");
    return scalarOffset(this.#source.text, node, index);
  }

  #offset(path: Path, target: "key" | "value"): number {
    if (this.#root === undefined) return 0;
    return target === "key" ? keyOffset(this.#root, path) : valueOffset(this.#root, path);
  }

  #at(offset: number, path: Path, message: string, suggestion: string | undefined): Problem {
    return {
      ...(this.#file === undefined ? {} : { file: this.#file }),
      ...this.#source.positionOf(offset),
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
      path: pathText(path),
    };
  }
}

function inOrder(found: readonly Problem[]): Problem[] {
  return [...found].sort((a, b) => a.line - b.line || a.column - b.column);
}

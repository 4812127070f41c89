// The project's TypeScript as a graph: files, what they import, how long their functions are.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { projectRoot, sourceFiles } from "../../scripts/source-files.ts";

export interface SourceFile {
  /** From the project's root: `engine/admin/session.ts`. */
  readonly path: string;
  /** The first folder: `engine`. */
  readonly home: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly longestFunction: { readonly name: string; readonly lines: number };
}

export interface Import {
  readonly specifier: string;
  /** A path of the project, if it is one. */
  readonly target: string | undefined;
  readonly isTypeOnly: boolean;
}

const GENERATED = ["contract/api-types.ts"];

export function readSourceTree(folders: readonly string[]): SourceFile[] {
  return sourceFiles(folders)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => relative(projectRoot, path))
    .filter((path) => !GENERATED.includes(path))
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(projectRoot, path), "utf8");
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return {
    path,
    home: path.split("/", 1)[0] ?? "",
    text,
    lines: text.trimEnd().split("\n").length,
    imports: parsed.statements.flatMap((statement) => importOf(statement, path)),
    longestFunction: longestFunctionOf(parsed),
  };
}

function importOf(statement: ts.Statement, from: string): Import[] {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
  const { moduleSpecifier } = statement;
  if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
  const specifier = moduleSpecifier.text;
  const isTypeOnly = ts.isImportDeclaration(statement)
    ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    : statement.isTypeOnly;
  return [{ specifier, isTypeOnly, target: targetOf(specifier, from) }];
}

function targetOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  const own = /^@croft\/(\w+)(\/.*)?$/.exec(specifier);
  return own === null ? undefined : `${own[1]}${own[2] ?? "/index.ts"}`;
}

function longestFunctionOf(file: ts.SourceFile) {
  let longest = { name: "", lines: 0 };
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const start = file.getLineAndCharacterOfPosition(node.getStart()).line;
      const lines = file.getLineAndCharacterOfPosition(node.end).line - start + 1;
      const name = node.name?.getText() ?? `the function at line ${start + 1}`;
      if (lines > longest.lines) longest = { name, lines };
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return longest;
}

/** Groups of files that import each other in a circle, each as one line of text. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(files.map((file) => [file.path, valueTargets(file)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const follow = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) {
      cycles.push([...trail.slice(at), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const target of edges.get(path) ?? []) follow(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) follow(path, []);
  return cycles;
}

function valueTargets({ imports }: SourceFile): string[] {
  return imports.flatMap(({ target, isTypeOnly }) =>
    target === undefined || isTypeOnly ? [] : [target],
  );
}

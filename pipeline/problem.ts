// What is wrong with a pipeline, told at the place where it is wrong.

export interface Problem {
  readonly file?: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters as an editor counts them. */
  readonly column: number;
  readonly message: string;
  /** What was probably meant: `did you mean 'needs'?`. */
  readonly suggestion?: string;
  /** Where in the pipeline: `steps.build.needs[0]`. */
  readonly path: string;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Names and numbers that lead from the root to a value. */
export type Path = readonly (string | number)[];

export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** `file:line:column: message (suggestion)`, as compilers say it. */
export function problemText(problem: Problem): string {
  const { file, line, column, message, suggestion } = problem;
  const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
  return `${place}: ${message}${suggestion === undefined ? "" : ` (${suggestion})`}`;
}

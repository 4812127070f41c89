// A matrix as far as the file tells: names of lists, and the ids of lists that stand in the file.
import { compileTemplate } from "../expression/template.ts";
import { contextsIn } from "../expression/walk-expression.ts";
import { NAME_PATTERN, NAME_RULE } from "../format/field.ts";
import { MATRIX_OPTIONS, type MatrixFields } from "../format/matrix-fields.ts";
import { expandMatrix } from "../matrix/expand-matrix.ts";
import { buildMatrix } from "../model/build-matrix.ts";
import type { Matrix } from "../model/pipeline.ts";
import { didYouMean } from "../nearest-name.ts";
import { MATRIX_LISTS_MAX } from "../pipeline-limits.ts";
import type { Draft } from "./draft.ts";
import type { Findings } from "./findings.ts";

export function checkMatrices({ steps }: Draft, findings: Findings): void {
  for (const [id, step] of steps)
    if (step.matrix !== undefined) checkMatrix(id, step.matrix, findings);
}

function checkMatrix(id: string, fields: MatrixFields, findings: Findings): void {
  const path = ["steps", id, "matrix"];
  const names = Object.keys(fields).filter((name) => !MATRIX_OPTIONS.includes(name));
  for (const name of names) {
    if (!NAME_PATTERN.test(name)) {
      findings.keyProblem(
        [...path, name],
        `'${name}': ${NAME_RULE}`,
        didYouMean(name, MATRIX_OPTIONS),
      );
    }
  }
  if (names.length === 0 && fields.include === undefined) {
    findings.keyProblem(
      path,
      "a matrix needs a list: 'name: [a, b]', or an expression that gives one",
    );
  }
  if (names.length > MATRIX_LISTS_MAX) {
    findings.keyProblem(
      path,
      `a matrix has at most ${MATRIX_LISTS_MAX} lists, this has ${names.length}`,
    );
    return;
  }
  const matrix = buildMatrix(fields);
  if (!isStatic(matrix)) return;
  const expanded = expandMatrix(matrix, {});
  if (expanded.items === undefined) findings.keyProblem(path, expanded.problem);
}

/** Nothing in it depends on the run. */
function isStatic({ values, include, exclude, id, dependsOn }: Matrix): boolean {
  const lists = [...Object.values(values), include, exclude];
  if (lists.some((list) => typeof list === "string")) return false;
  return [id, dependsOn].every((text) => text === undefined || usesMatrixOnly(text));
}

function usesMatrixOnly(text: string): boolean {
  const { template } = compileTemplate(text);
  return (
    template?.parts.every(
      (part) =>
        typeof part === "string" ||
        contextsIn(part.expression.tree).every(({ lexeme }) => lexeme.toLowerCase() === "matrix"),
    ) === true
  );
}

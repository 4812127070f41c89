// A matrix of the model from its fields.
import { MATRIX_OPTIONS, type MatrixFields } from "../format/matrix-fields.ts";
import { defined } from "./defined.ts";
import type { Matrix, MatrixValues } from "./pipeline.ts";

export function buildMatrix(fields: MatrixFields): Matrix {
  const lists = Object.entries(fields).filter(([name]) => !MATRIX_OPTIONS.includes(name));
  return defined({
    // What YAML gave is JSON; the fields only do not say so.
    values: Object.fromEntries(lists) as Readonly<Record<string, MatrixValues>>,
    include: fields.include as Matrix["include"],
    exclude: fields.exclude as Matrix["exclude"],
    id: fields.id,
    dependsOn: fields["depends-on"],
    maxParallel: fields["max-parallel"],
    failFast: fields["fail-fast"] ?? false,
  });
}

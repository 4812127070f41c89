// Takes the report of a step apart; what is not known here is left to be shown as it is.

export interface StepConflict {
  readonly id: string;
  readonly reason: string;
  readonly files: readonly string[];
}

export interface ReadReport {
  readonly warnings: readonly string[];
  readonly integrated: readonly string[];
  readonly conflicts: readonly StepConflict[];
  /** Undefined when nothing is left. */
  readonly rest: Readonly<Record<string, unknown>> | undefined;
}

export function readReport(report: Readonly<Record<string, unknown>>): ReadReport {
  // Where it ran stands with the other facts of the step.
  const { warnings, integrated, conflicts, workspace: _, kind: __, ...rest } = report;
  return {
    warnings: textsOf(warnings),
    integrated: textsOf(integrated),
    conflicts: listOf(conflicts).map(conflictOf),
    rest: Object.keys(rest).length === 0 ? undefined : rest,
  };
}

function conflictOf(value: unknown): StepConflict {
  const { id, reason, files } = (value ?? {}) as Record<string, unknown>;
  return { id: String(id ?? ""), reason: String(reason ?? ""), files: textsOf(files) };
}

function textsOf(value: unknown): string[] {
  return listOf(value).map(String);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

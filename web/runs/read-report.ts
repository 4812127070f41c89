// Takes the report of a step apart; what is not known here is left to be shown as it is.

export interface ReadReport {
  readonly warnings: readonly string[];
  /** Undefined when nothing is left. */
  readonly rest: Readonly<Record<string, unknown>> | undefined;
}

export function readReport(report: Readonly<Record<string, unknown>>): ReadReport {
  const { warnings, ...others } = report;
  const rest = Object.entries(others).filter(([name]) => !shownElsewhere.has(name));
  return {
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    rest: rest.length === 0 ? undefined : Object.fromEntries(rest),
  };
}

/** With the facts of the step, or as its integration. */
const shownElsewhere = new Set([
  "workspace",
  "kind",
  "commit",
  "integrated",
  "conflicts",
  "left_out",
]);

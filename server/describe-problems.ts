// The problems a route can answer with, for the OpenAPI document.
import { Problem, type ProblemCode, problemCodes } from "@croft/contract";
import { PROBLEM_TYPE } from "./problem-error.ts";

/** Responses by status for these codes, and `default` for what can happen to any request. */
export function describeProblems(...codes: readonly ProblemCode[]): object {
  const byStatus: Record<string, string[]> = { default: ["any other problem"] };
  for (const code of codes) {
    const { status, title } = problemCodes[code];
    byStatus[status] = [...(byStatus[status] ?? []), `\`${code}\`: ${title}`];
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, descriptions]) => [
      status,
      { description: descriptions.join("; "), content: { [PROBLEM_TYPE]: { schema: Problem } } },
    ]),
  );
}

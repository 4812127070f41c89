// What the API answers when something fails, as an error: every page shows failures from this one shape.
import type { Problem } from "@croft/contract";
import { sentence } from "./sentence.ts";

export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: string;
  /** The HTTP status; 0 when no answer arrived. */
  readonly status: number;
  readonly title: string;
  /** Empty when it would only repeat the title. */
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly errors: NonNullable<Problem["errors"]>;

  constructor(problem: Partial<Problem> & Pick<Problem, "code" | "status" | "title">) {
    super(problem.detail ?? problem.title);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    const detail = sentence(problem.detail ?? "");
    this.detail = detail === sentence(problem.title) ? "" : detail;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }

  /** The message for one field of the body, if the problem names it. */
  fieldError(field: string): string | undefined {
    const message = this.errors.find(({ path }) => path === field)?.message;
    return message === undefined ? undefined : sentence(message);
  }
}

/** Reads a failed answer. A proxy in between may answer with something that is no problem document. */
export async function readProblem(response: Response): Promise<ProblemError> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/problem+json")) {
    return new ProblemError((await response.json()) as Problem);
  }
  return foreignAnswer(response.status);
}

export function foreignAnswer(status: number): ProblemError {
  return new ProblemError({
    code: "unreadable-answer",
    status,
    title: `The server answered ${status}`,
    detail: "The answer did not come from Croft. A proxy in between may be failing.",
  });
}

export function unreachable(): ProblemError {
  return new ProblemError({
    code: "unreachable",
    status: 0,
    title: "Croft cannot be reached",
    detail: "No answer arrived. Check that `croft serve` is running and that you are online.",
  });
}

/** Anything that was thrown, in the shape that pages show. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return new ProblemError({
    code: "dashboard-failed",
    status: 0,
    title: "The dashboard made a mistake",
    detail: error instanceof Error ? error.message : String(error),
  });
}

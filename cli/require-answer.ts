// What a server answered, or the failure that it told.
import { Problem, type ProblemCode, problemCodes } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { plainText } from "./terminal-text.ts";

interface Answer<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

export function requireAnswer<Data>(answer: Answer<Data>): Data {
  requireSuccess(answer);
  if (answer.data !== undefined) return answer.data;
  throw foreign(answer.response);
}

/** For answers that may be empty. */
export function requireSuccess({ error, response }: Answer<unknown>): void {
  if (response.ok) return;
  const problem = Problem.safeParse(error);
  if (!problem.success) throw foreign(response);
  const { code, detail, request_id, errors = [] } = problem.data;
  const why = errors.map(({ path, message }) => `${path || "body"}: ${message}`).join("; ");
  const text = code === "internal" ? `${detail}: ${request_id}` : why || detail;
  throw new EngineError(codeOf(code, response.status), plainText(text));
}

/** A newer server may have codes that are not known here. */
function codeOf(code: string, status: number): ProblemCode {
  if (status === 401) return "unauthenticated";
  return Object.hasOwn(problemCodes, code) ? (code as ProblemCode) : "unavailable";
}

/** Of a proxy, or of another program at that address. */
function foreign({ status, url }: Response): EngineError {
  const code = status === 401 ? "unauthenticated" : "unavailable";
  return new EngineError(code, `${new URL(url).origin} answered ${status}, but not as Croft does`);
}

// Turns every kind of failure into one problem (RFC 9457); the status is chosen here and nowhere else.
import { type Problem, type ProblemCode, problemCodes } from "@croft/contract";
import {
  EngineError,
  isAppGone,
  isDatabaseFull,
  isDatabaseUnavailable,
  isDeadlock,
} from "@croft/engine";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

export const PROBLEM_TYPE = "application/problem+json";

export interface ProblemParts {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: NonNullable<Problem["errors"]>;
  readonly retryAfterSeconds?: number;
}

export function problemOf({ code, detail, errors }: ProblemParts, requestId: string): Problem {
  const { status, title } = problemCodes[code];
  return {
    type: `urn:croft:problem:${code}`,
    title,
    status,
    code,
    detail,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors }),
  };
}

export async function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ProblemParts,
): Promise<FastifyReply> {
  const problem = problemOf(parts, request.id);
  if (parts.retryAfterSeconds !== undefined) reply.header("retry-after", parts.retryAfterSeconds);
  if (problem.status === 401) reply.header("www-authenticate", 'Bearer realm="croft"');
  // Closed at once, a connection with unread bytes is reset and the client may never see the answer; kept open, the rest
  // is read and thrown away until the client stops or the request's time is over.
  if (!request.raw.complete) {
    reply.removeHeader("connection");
    reply.raw.shouldKeepAlive = true;
  }
  // Serialised here: the route's own schemas describe its successes.
  return reply
    .code(problem.status)
    .header("x-request-id", request.id) // before a route is found, no hook has set it
    .type(PROBLEM_TYPE)
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(problem);
}

/** What a client may know of an error; anything unforeseen is `internal` and only the log has the rest. */
export function explain(error: unknown, bodyLimit: number): ProblemParts {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.map(({ instancePath, message }) => ({
      path: instancePath.split("/").filter(Boolean).join("."),
      message: message ?? "is not valid",
    }));
    const fields = [...new Set(errors.map(({ path }) => path || "body"))].join(", ");
    return { code: "invalid-input", detail: `not valid: ${fields}`, errors };
  }
  if (error instanceof EngineError && isProblemCode(error.code)) {
    const isShort = error.code === "unavailable";
    const retryAfterSeconds = error.details["retryAfterSeconds"] ?? (isShort ? 1 : undefined);
    const fields = error.details["fields"] as ProblemParts["errors"];
    return {
      code: error.code,
      detail: error.message,
      ...(fields === undefined ? {} : { errors: fields }),
      ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
    };
  }
  if (isAppGone(error)) return { code: "unauthenticated", detail: "the app was deleted" };
  if (isDeadlock(error)) {
    const detail = "others changed the same at this moment; try again";
    return { code: "unavailable", detail, retryAfterSeconds: 1 };
  }
  if (isDatabaseFull(error)) {
    const detail = "the disk of the database is full: delete something, or make room on it";
    return { code: "disk-full", detail };
  }
  if (isDatabaseUnavailable(error)) {
    const detail = "the database does not answer at the moment; try again soon";
    return { code: "unavailable", detail, retryAfterSeconds: 1 };
  }
  return explainFrameworkError(error, bodyLimit);
}

function explainFrameworkError(error: unknown, bodyLimit: number): ProblemParts {
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { code: "too-large", detail: `the body may have at most ${bodyLimit} bytes` };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { code: "unsupported-media-type", detail: "send the body as application/json" };
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return { code: "invalid-json", detail: "the body is not valid JSON" };
    case "FST_ERR_BAD_URL":
      return { code: "bad-request", detail: "the path is not a valid URL" };
  }
  if (error instanceof SyntaxError && statusCode === 400) {
    return { code: "invalid-json", detail: "the body is not valid JSON" };
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { code: "bad-request", detail: "the request could not be read" };
  }
  return { code: "internal", detail: "the server failed; its log has more under this request id" };
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemCodes, code);
}

// The shape of an error on the wire (RFC 9457) and every code it can carry.
import { z } from "zod";

/** A code says what the caller can do next; the status is only its rough class. Codes never change once released. */
export const problemCodes = {
  "bad-request": { status: 400, title: "The request could not be read" },
  "invalid-json": { status: 400, title: "The body is not valid JSON" },
  unauthenticated: { status: 401, title: "Sign in, or send a token" },
  "wrong-credentials": { status: 401, title: "E-mail or password is wrong" },
  "wrong-signature": { status: 401, title: "The signature does not fit" },
  forbidden: { status: 403, title: "Not allowed" },
  "forbidden-origin": { status: 403, title: "The request came from another site" },
  "wrong-csrf-token": { status: 403, title: "The page is out of date" },
  "insecure-transport": { status: 403, title: "Sign-in needs TLS" },
  "not-found": { status: 404, title: "Not found" },
  "request-timeout": { status: 408, title: "The request took too long to arrive" },
  "job-ended": { status: 409, title: "The job has ended" },
  "job-not-ended": { status: 409, title: "The job has not ended yet" },
  "delivery-busy": { status: 409, title: "The delivery cannot be sent again now" },
  "event-pending": { status: 409, title: "The event has not been handled yet" },
  "watch-held": { status: 409, title: "The watch's credential is refused" },
  superseded: { status: 409, title: "A newer event has taken its place" },
  deduplicated: { status: 409, title: "Such a job is queued or running" },
  "name-taken": { status: 409, title: "The name is taken" },
  "setup-done": { status: 409, title: "The first admin exists already" },
  "setup-link-invalid": { status: 410, title: "The set-up link is used or expired" },
  "results-gone": { status: 410, title: "The results of the run are gone" },
  "asset-lost": { status: 410, title: "The contents are lost" },
  "range-not-satisfiable": { status: 416, title: "There is no such part" },
  "too-large": { status: 413, title: "The body is too large" },
  "unsupported-media-type": { status: 415, title: "The body must be JSON" },
  misdirected: { status: 421, title: "This host name is not served here" },
  "invalid-input": { status: 422, title: "The input is not valid" },
  "unsafe-address": { status: 422, title: "The address is not allowed" },
  "invalid-pipeline": { status: 422, title: "The pipeline is not valid" },
  "unknown-type": { status: 422, title: "There is no such job type" },
  "idempotency-key-reused": { status: 422, title: "The key was used for another request" },
  "too-many-attempts": { status: 429, title: "Too many attempts" },
  "too-many-requests": { status: 429, title: "Too many requests" },
  "too-many-streams": { status: 429, title: "Too many open streams" },
  "headers-too-large": { status: 431, title: "The headers are too large" },
  internal: { status: 500, title: "Something failed here" },
  unavailable: { status: 503, title: "Not available at the moment" },
  "disk-full": { status: 507, title: "There is no room for it" },
  "mirror-elsewhere": { status: 503, title: "Another host has the files" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemCodes;

export const Problem = z
  .object({
    type: z.string().describe("`urn:croft:problem:` and the code"),
    title: z.string(),
    status: z.int(),
    code: z.string().describe("stable name of the error, listed in docs/errors.md"),
    detail: z.string().describe("what went wrong this time, and the way out where there is one"),
    request_id: z.string().describe("the same id stands in the server's log"),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("one entry for each invalid field"),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

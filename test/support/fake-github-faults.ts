// What goes wrong at a fake GitHub when a test says so.
import type { ServerResponse } from "node:http";

export type GithubFault = FaultKind & {
  /** Which requests: matched with `POST /repos/o/r/issues/1/comments`, without the API's own prefix; all if undefined. */
  readonly of?: RegExp | undefined;
  /** How often; always if undefined. */
  times?: number | undefined;
};

type FaultKind =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** 403 with none left until the clock is there. */
  | { readonly kind: "rate-limit"; readonly resetInMs: number }
  /** 403 and a time to wait. */
  | { readonly kind: "secondary-rate-limit"; readonly retryAfterSeconds: number }
  /** Takes the request and says nothing. */
  | { readonly kind: "silence" }
  /** Answers, and does what is asked, when the gate is opened. */
  | { readonly kind: "gate"; readonly opened: Promise<unknown> }
  /** Breaks off in the middle of its answer. `isDone`: after it did what was asked. */
  | { readonly kind: "cut"; readonly isDone?: boolean }
  | { readonly kind: "redirect"; readonly to: string }
  | { readonly kind: "bad-json" }
  /** 422 whose message has in it what came with the request. */
  | { readonly kind: "echo" };

/** The fault of this request, if there is one left for it. */
export function takeFault(faults: GithubFault[], line: string): GithubFault | undefined {
  const at = faults.findIndex(
    ({ of, times }) => times !== 0 && (of === undefined || of.test(line)),
  );
  const fault = faults[at];
  if (fault?.times !== undefined) fault.times -= 1;
  return fault;
}

interface Faulted {
  readonly response: ServerResponse;
  readonly path: string;
  readonly now: number;
  readonly secret: string | undefined;
}

/** Whether the fault was the answer: if not, the request is served as usual. */
export async function answerFault(
  fault: GithubFault,
  { response, path, now, secret }: Faulted,
): Promise<boolean> {
  switch (fault.kind) {
    case "status":
      sendJson(response, fault.status, fault.body ?? `{"message":"fault ${fault.status}"}`, {
        ...fault.headers,
      });
      return true;
    case "rate-limit":
      sendJson(response, 403, '{"message":"API rate limit exceeded for installation."}', {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.ceil((now + fault.resetInMs) / 1000)),
      });
      return true;
    case "secondary-rate-limit":
      sendJson(response, 403, '{"message":"You have exceeded a secondary rate limit."}', {
        "retry-after": String(fault.retryAfterSeconds),
      });
      return true;
    case "silence":
      return true;
    case "gate":
      await fault.opened;
      return false;
    case "redirect":
      response.writeHead(302, { location: `${fault.to}${path}` }).end();
      return true;
    case "echo":
      sendJson(response, 422, JSON.stringify({ message: `unknown: ${secret}` }), {});
      return true;
    case "bad-json":
      sendJson(response, 200, '{"id": 12, "tok', {});
      return true;
    case "cut":
      if (fault.isDone) return false;
      cut(response);
      return true;
  }
}

/** The head of an answer, a few bytes, and no more. */
export function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":', () => response.destroy());
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(body);
}

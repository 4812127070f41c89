// The one door to the HTTP API: the typed client, with the CSRF token added and problems thrown as errors.
import { type ApiClient, createClient } from "@croft/contract";
import { readProblem, unreachable } from "./problem-error.ts";

export type Api = ApiClient;

export function createApi(csrfToken: () => string | undefined): Api {
  const api = createClient({ baseUrl: "" });
  api.use({
    onRequest({ request }) {
      const token = request.method === "GET" ? undefined : csrfToken();
      if (token !== undefined) request.headers.set("x-csrf-token", token);
    },
    async onResponse({ response }) {
      if (!response.ok) throw await readProblem(response);
    },
    onError({ error }) {
      // An aborted request is no failure: the query library ended it on purpose.
      if (error instanceof DOMException && error.name === "AbortError") return error;
      return unreachable();
    },
  });
  return api;
}

/** The body of an answer. Failures were thrown already, so a missing body is a fault of the server. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error("the server answered without a body");
  return data;
}

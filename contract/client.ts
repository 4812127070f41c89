// The typed client of the HTTP API: paths and types come from the OpenAPI document.
import createFetchClient, { type Client } from "openapi-fetch";
import type { paths } from "./api-types.ts";

export type ApiClient = Client<paths>;

export interface ClientOptions {
  baseUrl: string;
  /** A bearer token: an app's, or the local CLI's. Browsers use the session cookie instead. */
  token?: string;
  fetch?: (request: Request) => Promise<Response>;
}

export function createClient({ baseUrl, token, fetch }: ClientOptions): ApiClient {
  return createFetchClient<paths>({
    baseUrl,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}

// Requests to a real server as the local command makes them.
import type { NewCredential, OnboardedApp, Watch } from "@croft/contract";
import type { RunningServer } from "./croft-process.ts";

type Place = Pick<RunningServer, "url" | "token">;

/** Throws what the server says when it refuses. */
export async function callApi<T>(
  { url, token }: Place,
  method: "GET" | "POST" | "PATCH" | "DELETE" | "PUT",
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export async function onboard(server: Place, name: string, baseUrl: string): Promise<OnboardedApp> {
  const app = { name, email: "app@example.org", base_url: baseUrl };
  return await callApi<OnboardedApp>(server, "POST", "/api/apps/onboard", app);
}

/** For all repositories of the host, with the app's own token. */
export async function storeToken(
  server: Place,
  app: Pick<OnboardedApp, "token">,
  credential: Pick<NewCredential, "url" | "value">,
): Promise<string> {
  const own = { url: server.url, token: app.token };
  const body = { ...credential, kind: "token" };
  return (await callApi<{ id: string }>(own, "POST", "/api/credentials", body)).id;
}

export async function addWatch(
  server: Place,
  app: Pick<OnboardedApp, "token">,
  watch: { readonly url: string; readonly credential?: string; readonly ref?: string },
): Promise<Watch> {
  const own = { url: server.url, token: app.token };
  return await callApi<Watch>(own, "POST", "/api/repositories", watch);
}

/** When its app was told of this commit, and has accepted all of it. */
export async function isToldOf(server: Place, watchId: string, commit: string): Promise<boolean> {
  const watch = await callApi<Watch>(server, "GET", `/api/repositories/${watchId}`);
  return watch.commit === commit && watch.undelivered === 0;
}

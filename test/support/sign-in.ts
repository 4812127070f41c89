// What a person does first: use the one-time link, sign in, and ask.
import type { CurrentSession } from "@croft/contract";
import type { RunningServer } from "./croft-process.ts";

export const ADMIN = { email: "ada@example.org", name: "Ada", password: "correct horse battery" };

export interface SignedIn {
  readonly session: CurrentSession;
  /** Headers of a browser that is signed in. */
  readonly headers: Record<string, string>;
}

export async function createAdmin(server: RunningServer): Promise<SignedIn> {
  const token = /\/setup#(\S+)/.exec(server.stdout())?.[1];
  return await post(server, "/api/setup", { ...ADMIN, token });
}

export async function signInAsAdmin(server: RunningServer): Promise<SignedIn> {
  return await post(server, "/api/session", { email: ADMIN.email, password: ADMIN.password });
}

/** As the local CLI. */
export async function getJson(server: RunningServer, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.token}` };
  const response = await fetch(server.url + path, { headers });
  return await response.json();
}

async function post(server: RunningServer, path: string, body: object): Promise<SignedIn> {
  const origin = { origin: server.url };
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...origin },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`);
  const cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const session = (await response.json()) as CurrentSession;
  return { session, headers: { cookie, ...origin, "x-csrf-token": session.csrf_token } };
}

// By ssh an app has its own key or none; only the operator's own work goes as the operator, and only installations as the App.
import { parseRemoteUrl, type TokenSource } from "@croft/git";
import { expect, test } from "vitest";
import { GithubError } from "../github/github-error.ts";
import { entranceBy, type WayParts, wayTo } from "./credential-access.ts";

const knownHostsFile = "/etc/croft/known_hosts";
const config = {
  git: { knownHosts: knownHostsFile },
  allowPrivate: ["git.internal"],
} as unknown as WayParts["config"];
const key = { kind: "ssh-key", username: "git", value: "the key" } as const;
const token = { kind: "token", username: "x", value: "the token" } as const;
const remote = parseRemoteUrl("https://github.com/acme/one");
const elsewhere = parseRemoteUrl("https://example.org/acme/one");

function partsWith(refusal?: GithubError): WayParts {
  const tokens =
    (installation: number): TokenSource =>
    async () => {
      if (refusal !== undefined) throw refusal;
      return { username: "x-access-token", password: `of ${installation}` };
    };
  return { config, github: { host: "github.com", tokens } };
}

test("apps never go as the user Croft runs as", () => {
  const by = (owner: string, found?: typeof token) =>
    entranceBy({ config }, owner, { remote, found }).ssh;
  expect(by("app:1")).toEqual({ knownHostsFile });
  expect(by("app:1", token)).toEqual({ knownHostsFile });
  expect(by("installation:1")).toEqual({ knownHostsFile });
  expect(by("local")).toBeUndefined();
});

test("a key is a key and a token a token, whose ever it is", async () => {
  for (const owner of ["app:1", "local"]) {
    const by = (found: typeof key | typeof token) =>
      entranceBy(partsWith(), owner, { remote, found });
    expect(by(key)).toEqual({ ssh: { key: "the key", knownHostsFile } });
    expect(await by(token).tokens?.({ refresh: false })).toEqual({
      ...{ username: "x", password: "the token" },
    });
  }
});

test("work of an installation goes as the App at the App's host, and as nobody elsewhere", async () => {
  const passwordOf = async (options: Parameters<typeof entranceBy>[2], owner: string) =>
    (await entranceBy(partsWith(), owner, options).tokens?.({ refresh: false }))?.password;
  expect(await passwordOf({ remote }, "installation:42")).toBe("of 42");
  expect(await passwordOf({ remote, found: token }, "installation:42")).toBe("of 42");
  const named = { remote, found: token, isNamed: true };
  expect(await passwordOf(named, "installation:42")).toBe("the token");
  expect(await passwordOf({ remote: elsewhere }, "installation:42")).toBeUndefined();
  for (const owner of ["app:42", "local", "installation:0x2a", "installation:42x", "installation:"])
    expect(await passwordOf({ remote }, owner)).toBeUndefined();
});

test("its own credential is taken where the App may not go, not where GitHub is away", async () => {
  const passwordBy = async (refusal: GithubError) => {
    const { tokens } = entranceBy(partsWith(refusal), "installation:42", { remote, found: token });
    return (await tokens?.({ refresh: false }))?.password;
  };
  const closed = new GithubError("no", { status: 422, code: "github-no-access" });
  expect(await passwordBy(closed)).toBe("the token");
  const away = new GithubError("no", { status: 502, code: "github-unavailable" });
  await expect(passwordBy(away)).rejects.toBe(away);
});

test("an app's credential may be an installation, which is nothing without an App", async () => {
  const found = { kind: "github-app", username: "x-access-token", value: "42" } as const;
  const { tokens } = entranceBy(partsWith(), "app:1", { remote, found });
  expect((await tokens?.({ refresh: false }))?.password).toBe("of 42");
  const without = entranceBy({ config }, "app:1", { remote, found }).tokens;
  await expect(without?.({ refresh: false })).rejects.toMatchObject({ code: "github-no-access" });
});

test("an installation's GitHub may be in a private network; an app's may not", () => {
  const allowed = (owner: string) => wayTo(partsWith(), owner, { remote }).reach?.allowPrivate;
  expect(allowed("installation:42")).toEqual(["git.internal", "github.com"]);
  expect(allowed("app:1")).toEqual(["git.internal"]);
  expect(allowed("local")).toBeUndefined();
});

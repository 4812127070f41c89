// Git connects to the address that was checked, whatever the name's next answer would be.
import { expect, test } from "vitest";
import { mirrorScene } from "../../test/support/mirror-scene.ts";
import { publish } from "../result/publish.ts";
import { commitId } from "./commit-id.ts";
import { pinRemote } from "./pin-remote.ts";
import { parseRemoteUrl } from "./remote-url.ts";
import type { Lookup } from "./resolve-public.ts";
import { resolveRef } from "./resolve-ref.ts";

/** Answers in turn, and goes on with the last one. */
function turning(...answers: readonly string[]) {
  const asked: string[] = [];
  const lookup: Lookup = async (hostname) => {
    const address = answers[Math.min(asked.length, answers.length - 1)] ?? "";
    asked.push(hostname);
    return [{ address, family: address.includes(":") ? 6 : 4 }];
  };
  return { lookup, asked };
}

/** A name that no resolver knows: who reaches the server by it was given the address. */
async function pinnedScene() {
  const scene = await mirrorScene();
  const port = scene.server.host.split(":")[1];
  const host = `made-up.invalid:${port}`;
  const remote = parseRemoteUrl(`http://${host}/app.git`, { allowHttp: [host] });
  return { ...scene, host, port, remote };
}

test("ls-remote, fetch and push go to the pinned address of a name that does not exist", async () => {
  const { host, remote, mirrors, idOf, newCommit, gitDir: _unused, ...scene } = await pinnedScene();
  const { lookup, asked } = turning("127.0.0.1");
  const access = { reach: { allowPrivate: [host], lookup } };
  const resolved = await resolveRef(remote, "main", access);
  expect(resolved.commit).toBe(await idOf("main"));
  const { gitDir } = await mirrors.ensure(remote, resolved, access);
  const commit = commitId(await newCommit("main", "pushed"));
  const pushed = await publish({
    ...{ gitDir: scene.origin, commit, remote, branch: "pushed", access },
    fence: async () => {},
  });
  expect(pushed.commit).toBe(await idOf("pushed"));
  expect(gitDir).toBe(mirrors.pathOf(remote));
  expect(asked.every((name) => name === "made-up.invalid")).toBe(true);
  await expect(resolveRef(remote, "main")).rejects.toMatchObject({ code: "network" });
});

test("a name that becomes private between two commands is refused at the second", async () => {
  const { remote, server, mirrors, host } = await pinnedScene();
  const { lookup } = turning("127.0.0.1", "10.0.0.1");
  const resolved = await resolveRef(remote, "main", { reach: { allowPrivate: [host], lookup } });
  const before = server.requests.length;
  const reach = { allowPrivate: [], lookup };
  await expect(mirrors.ensure(remote, resolved, { reach })).rejects.toMatchObject({
    code: "private-address",
    address: "10.0.0.1",
  });
  await expect(mirrors.rebuild(remote, { reach })).rejects.toMatchObject({
    code: "private-address",
  });
  expect(server.requests.length).toBe(before);
});

test("rebinding: the second answer is never asked for", async () => {
  const { remote, server, port } = await pinnedScene();
  // Nobody listens at the first address: git must go there and fail, not to the loopback that comes second.
  const { lookup, asked } = turning("192.0.2.1", "127.0.0.1");
  const allowed = { allowPrivate: [`made-up.invalid:${port}`], lookup };
  const asking = resolveRef(remote, "main", { reach: allowed, timeoutMs: 2000 });
  await expect(asking).rejects.toMatchObject({ name: "GitError" });
  expect(asked).toEqual(["made-up.invalid"]);
  expect(server.requests).toEqual([]);
});

test("a loopback literal and a redirect to one are refused", async () => {
  const { server, remote, host } = await pinnedScene();
  const literal = parseRemoteUrl(server.url("app"), { allowHttp: [server.host] });
  const reach = { allowPrivate: [] };
  await expect(resolveRef(literal, "main", { reach })).rejects.toMatchObject({
    code: "private-address",
    message: "'127.0.0.1' is not allowed: it is this machine itself",
  });
  expect(server.requests).toEqual([]);
  server.fault = { kind: "redirect", to: `http://${server.host}/else` };
  const { lookup } = turning("127.0.0.1");
  const redirected = resolveRef(remote, "main", { reach: { allowPrivate: [host], lookup } });
  await expect(redirected).rejects.toMatchObject({ code: "rejected" });
  expect(server.requests.length).toBe(1);
});

test("ssh goes to the pinned address, and looks for the host's key under its name", async () => {
  const remote = parseRemoteUrl("ssh://git@made-up.invalid:2222/app.git");
  const { lookup } = turning("127.0.0.1");
  const reach = { allowPrivate: ["made-up.invalid:2222"], lookup };
  expect(await pinRemote(remote, reach)).toEqual({
    sshOptions:
      "-o 'HostName=127.0.0.1' -o 'HostKeyAlias=[made-up.invalid]:2222' -o 'CanonicalizeHostname=no'",
  });
  await expect(resolveRef(remote, "main", { reach: { allowPrivate: [] } })).rejects.toMatchObject({
    code: "unknown-host",
  });
});

test("all addresses of a name are given, and none where the host is one itself", async () => {
  const lookup: Lookup = async () => [
    { address: "8.8.8.8", family: 4 },
    { address: "2606:4700::1", family: 6 },
  ];
  const pins = async (url: string) =>
    await pinRemote(parseRemoteUrl(url, { allowLocal: true }), { allowPrivate: [], lookup });
  expect(await pins("https://example.com/a/b")).toEqual({
    config: [
      ["http.curloptResolve", "example.com:443:8.8.8.8,[2606:4700::1]"],
      ["http.curloptResolve", "example.com.:443:8.8.8.8,[2606:4700::1]"],
    ],
  });
  expect(await pins("git@example.com:a/b")).toEqual({
    sshOptions: expect.stringContaining("-o 'HostKeyAlias=example.com'"),
  });
  expect(await pins("https://[2606:4700::1]/a/b")).toEqual({});
  expect(await pins("/srv/a")).toEqual({});
  await expect(pins("ssh://git@a'b$(x)/a/b")).rejects.toMatchObject({ code: "unknown-host" });
});

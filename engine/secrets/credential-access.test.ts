// By ssh an app has its own key or none; only the operator's own work goes as the operator.
import { expect, test } from "vitest";
import { entranceBy } from "./credential-access.ts";

const config = { git: { knownHosts: "/etc/croft/known_hosts" } } as Parameters<
  typeof entranceBy
>[0];
const key = { kind: "ssh-key", username: "git", value: "the key" } as const;
const token = { kind: "token", username: "x", value: "the token" } as const;
const knownHostsFile = "/etc/croft/known_hosts";

test("apps never go as the user Croft runs as", () => {
  expect(entranceBy(config, "app:1", undefined).ssh).toEqual({ knownHostsFile });
  expect(entranceBy(config, "app:1", token).ssh).toEqual({ knownHostsFile });
  expect(entranceBy(config, "local", undefined).ssh).toBeUndefined();
});

test("a key is a key and a token a token, whose ever it is", async () => {
  for (const owner of ["app:1", "local"]) {
    expect(entranceBy(config, owner, key)).toEqual({ ssh: { key: "the key", knownHostsFile } });
    const { tokens } = entranceBy(config, owner, token);
    expect(await tokens?.({ refresh: false })).toEqual({ username: "x", password: "the token" });
  }
});

// Secrets and credentials are encrypted where they lie, and come out only whole, to their owner, from their own row.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseRemoteUrl } from "@croft/git";
import { expect, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import {
  listCredentials,
  markCredential,
  openCredential,
  openCredentialById,
  putCredential,
  removeCredential,
} from "./credential-store.ts";
import { listSecrets, openSecrets, putSecret, removeSecret } from "./secret-store.ts";

const ALL = { owner: undefined };
const PAGE = { limit: 50 };

async function scene() {
  const engine = await scratchEngine();
  const { vault, database } = engine;
  const query = async (text: string, values: unknown[] = []) =>
    (await database.pool.query(text, values)).rows;
  const put = (owner: string, name: string, value: string) =>
    putSecret(vault, owner, { name, value });
  return { engine, vault, database, query, put };
}

test("set, listed without value, used, replaced, removed, and each of it an event without the value", async () => {
  const { vault, database, query, put } = await scene();
  await put("app:1", "TOKEN", "hunter2-first");
  await put("app:1", "OTHER", "hunter2-other");
  await put("app:2", "TOKEN", "hunter2-foreign");
  await put("app:1", "TOKEN", "hunter2-second");
  const opened = await openSecrets(vault, "app:1", ["TOKEN", "OTHER", "TOKEN"]);
  expect(Object.fromEntries(opened)).toEqual({ TOKEN: "hunter2-second", OTHER: "hunter2-other" });
  expect(await openSecrets(vault, "app:1", [])).toEqual(new Map());
  const { secrets } = await listSecrets(database, { owner: "app:1" }, PAGE);
  expect(secrets.map(({ name }) => name)).toEqual(["OTHER", "TOKEN"]);
  expect(secrets.every(({ last_used_at }) => last_used_at !== null)).toBe(true);
  expect((await listSecrets(database, ALL, PAGE)).secrets).toHaveLength(3);
  await removeSecret(database, { owner: "app:1" }, { owner: "app:1", name: "TOKEN" });
  await expect(openSecrets(vault, "app:1", ["OTHER", "TOKEN", "NEVER"])).rejects.toMatchObject({
    code: "unknown-secrets",
    details: { names: ["TOKEN", "NEVER"] },
  });
  const events = await query("select type, owner, data, seq from croft.event order by place");
  expect(events.map(({ type, seq }) => `${type} ${seq}`)).toEqual([
    ...["secret.changed 1", "secret.changed 1", "secret.changed 1", "secret.changed 2"],
    "secret.removed 3",
  ]);
  const everything = JSON.stringify([
    events,
    await query("select s.*, encode(ciphertext, 'escape') from croft.secret s"),
    secrets,
  ]);
  expect(everything).not.toContain("hunter2");
});

test("pages", async () => {
  const { database, put } = await scene();
  for (let number = 0; number < 5; number++) await put("local", `N${number}`, "v");
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listSecrets(database, ALL, { limit: 2, cursor });
    names.push(...page.secrets.map(({ name }) => name));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(names).toEqual(["N4", "N3", "N2", "N1", "N0"]);
});

test("a foreign secret cannot be opened or removed", async () => {
  const { vault, database, put } = await scene();
  await put("app:1", "TOKEN", "v");
  await expect(openSecrets(vault, "app:2", ["TOKEN"])).rejects.toThrow(/no secret 'TOKEN'/);
  const missing = { code: "not-found", message: "there is no such secret" };
  for (const owner of ["app:1", "app:2", "app:3"]) {
    const removing = removeSecret(database, { owner: "app:2" }, { owner, name: "TOKEN" });
    await expect(removing).rejects.toMatchObject(missing);
  }
});

test.each([
  [
    "swapped with another row",
    "update croft.secret s set ciphertext = o.ciphertext from croft.secret o where o.id <> s.id",
  ],
  [
    "under another name",
    "update croft.secret set name = name || '_' where name = 'B'; update croft.secret set name = 'B' where name = 'A'; update croft.secret set name = 'A' where name = 'B_'",
  ],
  [
    "given to another owner",
    "update croft.secret set owner = case owner when 'app:1' then 'app:2' else 'app:1' end",
  ],
  [
    "with a byte changed",
    "update croft.secret set ciphertext = set_byte(ciphertext, 30, get_byte(ciphertext, 30) # 1)",
  ],
  ["cut", "update croft.secret set ciphertext = substring(ciphertext from 1 for 20)"],
  ["emptied", "update croft.secret set ciphertext = ''"],
])("a value %s by somebody with access to the database does not open", async (_how, change) => {
  const { vault, query, put } = await scene();
  await put("app:1", "A", "hunter2-a");
  await put(change.includes("owner = case") ? "app:2" : "app:1", "B", "hunter2-b");
  await query(change);
  for (const [owner, name] of [
    ["app:1", "A"],
    ["app:1", "B"],
    ["app:2", "A"],
    ["app:2", "B"],
  ]) {
    const opening = openSecrets(vault, owner ?? "", [name ?? ""]);
    await expect(opening).rejects.toMatchObject({
      code: expect.stringMatching(/^(damaged|unknown-secrets)$/),
      message: expect.not.stringContaining("hunter2"),
    });
  }
});

test("the key is a file of Croft's alone, and not in the database", async () => {
  const { engine, query, put } = await scene();
  const path = join(engine.config.data, "keys/secrets.keys");
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" }); // nobody needed it yet
  await put("local", "A", "v");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o700);
  const key = (await readFile(path, "utf8")).split("\n").at(-2) ?? "";
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  const rows = JSON.stringify(await query("select * from croft.encryption_key"));
  expect(rows).not.toContain(key.slice(0, 8));
});

const GITHUB = parseRemoteUrl("https://github.com/acme/tools");

test("of credentials the longest path counts, of the same the newest, and no other host gets one", async () => {
  const { vault, database } = await scene();
  const put = (url: string, value: string, rest = {}) =>
    putCredential(vault, "app:1", { kind: "token", url, value, ...rest });
  expect(await openCredential(vault, "app:1", GITHUB)).toBeUndefined();
  const host = await put("https://github.com", "of-host");
  await put("https://github.com/acme-evil", "of-evil");
  expect(await openCredential(vault, "app:1", GITHUB)).toMatchObject({
    ...{ id: host.id, kind: "token", username: "x-access-token", value: "of-host" },
  });
  await put("https://github.com/acme", "of-acme");
  const old = await put("https://github.com/acme/tools", "of-tools", {
    expires_at: new Date(Date.now() - 1000).toISOString(),
  });
  expect(await openCredential(vault, "app:1", GITHUB)).toMatchObject({ value: "of-acme" });
  const again = await put("https://GitHub.com/acme/tools.git", "of-tools-2");
  expect(again).toMatchObject({ id: old.id, expires_at: null, state: "unchecked" });
  expect(await openCredential(vault, "app:1", GITHUB)).toMatchObject({ value: "of-tools-2" });
  expect(await openCredential(vault, "app:2", GITHUB)).toBeUndefined();
  const elsewhere = parseRemoteUrl("https://github.com.evil.org/acme/tools");
  expect(await openCredential(vault, "app:1", elsewhere)).toBeUndefined();
  const byId = { id: host.id, remote: elsewhere };
  await expect(openCredentialById(vault, "app:1", byId)).rejects.toMatchObject({
    code: "not-found",
  });
  expect(await openCredentialById(vault, "app:1", { ...byId, remote: GITHUB })).toMatchObject({
    value: "of-host",
  });
  await markCredential(database, host.id, "refused");
  const { credentials } = await listCredentials(database, { owner: "app:1" }, PAGE);
  expect(credentials.find(({ id }) => id === host.id)).toMatchObject({ state: "refused" });
  expect(JSON.stringify(credentials)).not.toMatch(/of-/);
  await removeCredential(database, { owner: "app:1" }, host.id);
  await expect(removeCredential(database, ALL, host.id)).rejects.toMatchObject({
    code: "not-found",
  });
});

test("a credential whose row was sent to another host does not open", async () => {
  const { vault, query } = await scene();
  await putCredential(vault, "local", { kind: "token", url: "https://github.com", value: "v" });
  await query("update croft.credential set host = 'evil.org'");
  const remote = parseRemoteUrl("https://evil.org/a/b");
  await expect(openCredential(vault, "local", remote)).rejects.toMatchObject({ code: "damaged" });
});

test("a user name is needed for a password", async () => {
  const { vault } = await scene();
  const basic = { kind: "basic", url: "https://github.com", value: "v" } as const;
  await expect(putCredential(vault, "local", basic)).rejects.toThrow(/username is needed/);
  expect(await putCredential(vault, "local", { ...basic, username: "ann" })).toMatchObject({
    username: "ann",
  });
});

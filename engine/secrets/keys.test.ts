// Keys: shared by processes, rotated without losing a value whoever dies, and missed at the start rather than later.
import { randomBytes } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEngineProcess } from "../../test/support/engine-process.ts";
import { scratchDatabase } from "../../test/support/scratch-database.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { engineOn } from "../../test/support/scratch-engine.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { onboardApp } from "../apps/onboard-app.ts";
import type { Engine } from "../engine.ts";
import { putCredential } from "./credential-store.ts";
import { finishRotation, readKeys, rotateKey } from "./rotate-key.ts";
import { openSecrets, putSecret } from "./secret-store.ts";
import { openSigningSecrets } from "./signing-secret-store.ts";

const fileOf = ({ config }: Engine) => join(config.data, "keys/secrets.keys");
const keysIn = async (path: string) =>
  (await readFile(path, "utf8")).split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** What they sign with, by the database that has them. */
const apps = new Map<
  string | undefined,
  { readonly id: string; readonly signing_secret: string }
>();

/** So many secrets, a credential and a signing secret. */
async function fill(engine: Engine, count: number): Promise<void> {
  const { vault, config } = engine;
  for (let number = 0; number < count; number++) {
    await putSecret(vault, "local", { name: `N${number}`, value: `value ${number}` });
  }
  await putCredential(vault, "local", { kind: "token", url: "https://h", value: "v" });
  const app = { name: "app", email: "a@b", description: "", delivery_slots: 1 };
  apps.set(config.database.url, await onboardApp(engine, app));
}

async function expectAll({ vault, config }: Engine, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, number) => `N${number}`);
  const opened = await openSecrets(vault, "local", names);
  for (const [number, name] of names.entries()) expect(opened.get(name)).toBe(`value ${number}`);
  const app = apps.get(config.database.url);
  if (app !== undefined)
    expect(await openSigningSecrets(vault, app.id)).toEqual([app.signing_secret]);
}

const newLine = () => `${randomBytes(32).toString("base64")}\n`;

test("a process of another host does not start without the key file, and says where it lacks which key", async () => {
  const url = await scratchDatabase();
  const first = await engineOn(url);
  await engineOn(url); // there is nothing to decrypt yet
  await fill(first, 1);
  const [key] = (await readKeys(first.vault)).keys;
  const data = await scratchDirectory();
  await expect(engineOn(url, { data })).rejects.toMatchObject({
    code: "secret-key-missing",
    message: expect.stringMatching(
      new RegExp(`key '${key?.id}', which is not in '.*keys/secrets.keys': copy that file`),
    ),
  });
  await mkdir(join(data, "keys"));
  await copyFile(fileOf(first), join(data, "keys/secrets.keys"));
  await expectAll(await engineOn(url, { data }), 1);
  await writeFile(join(data, "keys/secrets.keys"), newLine());
  await expect(engineOn(url, { data })).rejects.toMatchObject({ code: "secret-key-missing" });
  await writeFile(join(data, "keys/secrets.keys"), "hunter2 is not a key\n");
  await expect(engineOn(url, { data })).rejects.toMatchObject({
    code: "secret-key-unusable",
    message: expect.not.stringContaining("hunter2"),
  });
});

test("many first values at once, from two processes, have one key", async () => {
  const url = await scratchDatabase();
  const data = await scratchDirectory();
  const engines = [await engineOn(url, { data }), await engineOn(url, { data })];
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      putSecret((engines[number % 2] as Engine).vault, "local", {
        ...{ name: `N${number}`, value: `value ${number}` },
      }),
    ),
  );
  for (const engine of engines) await expectAll(engine, 20);
  expect(await keysIn(join(data, "keys/secrets.keys"))).toHaveLength(1);
});

test("after a rotation everything has the new key, also what other processes wrote meanwhile, and the old one is forgotten", async () => {
  const url = await scratchDatabase();
  const data = await scratchDirectory();
  const [engine, other] = [await engineOn(url, { data }), await engineOn(url, { data })];
  await fill(engine, 250);
  await expectAll(other, 250); // it knows the old key now
  const [before] = (await readKeys(engine.vault)).keys;
  const writing = Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      putSecret(other.vault, "local", { name: `N${number}`, value: `value ${number}` }),
    ),
  );
  await rotateKey(engine.vault);
  await Promise.all([finishRotation(engine.vault), finishRotation(other.vault)]);
  await writing;
  await finishRotation(engine.vault);
  const { keys, file } = await readKeys(engine.vault);
  expect(file).toBe("managed");
  expect(keys).toEqual([expect.objectContaining({ is_current: true, values: 252 })]);
  expect(keys[0]?.id).not.toBe(before?.id);
  expect(await keysIn(fileOf(engine))).toHaveLength(1);
  await expectAll(engine, 250);
  await expectAll(other, 250);
  await putSecret(other.vault, "local", { name: "N0", value: "value 0" });
  await expectAll(engine, 1);
});

test("a rotation that was stopped half-way is finished by another process; until then both keys are kept", async () => {
  const url = await scratchDatabase();
  const engine = await engineOn(url);
  await fill(engine, 250);
  await rotateKey(engine.vault);
  let looks = 0;
  await finishRotation(engine.vault, () => ++looks > 2);
  const { keys } = await readKeys(engine.vault);
  expect(keys.map(({ values }) => values > 0)).toEqual([true, true]);
  expect(await keysIn(fileOf(engine))).toHaveLength(2);
  await expectAll(engine, 250);
  const successor = await engineOn(url, { data: engine.config.data });
  await finishRotation(successor.vault);
  expect((await readKeys(engine.vault)).keys).toHaveLength(1);
  await expectAll(successor, 250);
});

test("a process that is killed again and again while it rotates loses no value", async () => {
  const url = await scratchDatabase();
  const engine = await engineOn(url);
  await fill(engine, 300);
  for (let round = 0; round < 4; round++) {
    const child = startEngineProcess(
      engine.config,
      `say("begins");
       for (;;) { await croft.rotateKey(engine.vault); say("rotated"); await croft.finishRotation(engine.vault); }`,
    );
    await child.hasSaid("begins");
    await waitUntil("some rotations", () => child.said().length > round * 2 + 1);
    await child.kill();
    await expectAll(engine, 300);
  }
  await finishRotation(engine.vault);
  expect((await readKeys(engine.vault)).keys).toHaveLength(1);
  await expectAll(await engineOn(url, { data: engine.config.data }), 300);
});

test("a key that was added to the file by a process that died is taken by the next rotation", async () => {
  const engine = await engineOn(await scratchDatabase());
  await fill(engine, 1);
  await writeFile(fileOf(engine), newLine(), { flag: "a" });
  await rotateKey(engine.vault);
  expect(await keysIn(fileOf(engine))).toHaveLength(2);
  await finishRotation(engine.vault);
  expect(await keysIn(fileOf(engine))).toHaveLength(1);
  await expectAll(engine, 1);
});

test("the operator's own file is read and never written; a rotation takes the line that was added", async () => {
  const url = await scratchDatabase();
  const keyFile = join(await scratchDirectory(), "keys");
  const flags = { "secrets.keyFile": keyFile };
  const engine = await engineOn(url, flags);
  const put = () => putSecret(engine.vault, "local", { name: "N0", value: "value 0" });
  await expect(put()).rejects.toMatchObject({ code: "secret-key-missing" });
  await writeFile(keyFile, newLine());
  await put();
  await expect(rotateKey(engine.vault)).rejects.toThrow(/has no new key: add a line/);
  await writeFile(keyFile, newLine(), { flag: "a" });
  const text = await readFile(keyFile, "utf8");
  await rotateKey(engine.vault);
  await finishRotation(engine.vault);
  expect(await readKeys(engine.vault)).toMatchObject({ file: "operator", keys: [{ values: 1 }] });
  expect(await readFile(keyFile, "utf8")).toBe(text);
  await writeFile(keyFile, text.split("\n").slice(1).join("\n"));
  await expectAll(await engineOn(url, flags), 1);
});

test("a value that cannot be decrypted keeps its key, and holds up no other", async () => {
  const engine = await engineOn(await scratchDatabase());
  await fill(engine, 3);
  await engine.database.pool.query(
    "update croft.secret set ciphertext = set_byte(ciphertext, 30, get_byte(ciphertext, 30) # 1) where name = 'N1'",
  );
  await rotateKey(engine.vault);
  await finishRotation(engine.vault);
  const { keys } = await readKeys(engine.vault);
  expect(keys.map(({ values }) => values)).toEqual([4, 1]);
  expect(await keysIn(fileOf(engine))).toHaveLength(2);
  await putSecret(engine.vault, "local", { name: "N1", value: "value 1" });
  await finishRotation(engine.vault);
  expect(await keysIn(fileOf(engine))).toHaveLength(1);
  await expectAll(engine, 3);
});

// Assets over real HTTP: whole, in parts, unchanged, harmless to browsers, and only to those whose they are.
import { readdirSync, readlinkSync, rmSync } from "node:fs";
import type { AssetList, Problem } from "@croft/contract";
import { createApp } from "@croft/engine";
import { expect, test } from "vitest";
import { assetScene } from "./support/asset-scene.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { waitUntil } from "./support/wait-until.ts";

async function scene() {
  const assets = await assetScene();
  const { engine } = assets;
  const app = await scratchServer(engine);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const one = await createApp(engine.database, "one");
  const other = await createApp(engine.database, "other");
  const tokens = { local: engine.localToken, one: one.token, other: other.token };
  const ask = (
    path: string,
    headers: Record<string, string> = {},
    who: keyof typeof tokens = "local",
  ) =>
    fetch(`${url}/api/assets${path}`, {
      headers: { authorization: `Bearer ${tokens[who]}`, ...headers },
    });
  const head = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/assets${path}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${tokens.local}`, ...headers },
    });
  return { ...assets, ask, head, owner: `app:${one.app.id}` };
}

test("an app sees its own, and a foreign one as one that is missing", async () => {
  const { ask, keep, owner } = await scene();
  const mine = await keep("mine", { owner, sourceTaskId: "t-1" });
  const foreign = await keep("foreign");
  expect(await (await ask(`/${mine.id}`, {}, "one")).json()).toEqual(mine);
  expect(await (await ask("", {}, "one")).json()).toEqual({ assets: [mine], next_cursor: null });
  expect(await (await ask("?source_task_id=t-1")).json()).toMatchObject({ assets: [mine] });
  expect(await (await ask(`?owner=${owner}`, {}, "other")).json()).toMatchObject({ assets: [] });
  const first = (await (await ask("?limit=1")).json()) as AssetList;
  expect(first).toMatchObject({ assets: [foreign], next_cursor: foreign.id });
  const rest = await (await ask(`?limit=1&cursor=${first.next_cursor}`)).json();
  expect(rest).toEqual({ assets: [mine], next_cursor: null });
  const missing = "00000000-0000-4000-8000-000000000000";
  for (const suffix of ["", "/content"]) {
    const answers = await Promise.all(
      [foreign.id, missing].map(async (id) => {
        const response = await ask(`/${id}${suffix}`, {}, "one");
        const problem = (await response.json()) as Problem;
        return [response.status, { ...problem, request_id: "" }];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
  }
  for (const path of ["/..%2f..%2fkeys", "/x", "?job=x", "?commit=main", "?unknown=1"]) {
    expect((await ask(path)).status).toBe(422);
  }
});

test("contents come with all that keeps a browser from harm", async () => {
  const { ask, keep } = await scene();
  const text = "<script>alert(1)</script>";
  const name = 'out/"böse";\r\n 你好.html';
  const asset = await keep(text, { name, mediaType: "text/html" });
  const response = await ask(`/${asset.id}/content`);
  expect(await response.text()).toBe(text);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html",
    "content-length": String(text.length),
    etag: `"${asset.sha256}"`,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "content-disposition": `attachment; filename="out__b_se____ __.html"; filename*=UTF-8''out_%22b%C3%B6se%22%3B__%20%E4%BD%A0%E5%A5%BD.html`,
  });
});

test("parts, the end, conditions, and parts that are not there", async () => {
  const { ask, keep } = await scene();
  const asset = await keep("0123456789");
  const path = `/${asset.id}/content`;
  const etag = `"${asset.sha256}"`;
  const part = async (headers: Record<string, string>) => {
    const response = await ask(path, headers);
    return [response.status, await response.text(), response.headers.get("content-range")];
  };
  expect(await part({ range: "bytes=2-4" })).toEqual([206, "234", "bytes 2-4/10"]);
  expect(await part({ range: "bytes=7-" })).toEqual([206, "789", "bytes 7-9/10"]);
  expect(await part({ range: "bytes=-3" })).toEqual([206, "789", "bytes 7-9/10"]);
  expect(await part({ range: "bytes=5-999" })).toEqual([206, "56789", "bytes 5-9/10"]);
  expect(await part({ range: "Bytes=0-0" })).toEqual([206, "0", "bytes 0-0/10"]);
  expect(await part({ range: "bytes=-99" })).toEqual([206, "0123456789", "bytes 0-9/10"]);
  for (const range of ["bytes=1-2,4-5", "bytes=5-2", "lines=1-2", "bytes=-", "bytes=a-b", ""]) {
    expect(await part({ range })).toEqual([200, "0123456789", null]);
  }
  for (const range of ["bytes=10-", "bytes=10-12", "bytes=-0"]) {
    const beyond = await ask(path, { range });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    expect(await beyond.json()).toMatchObject({ code: "range-not-satisfiable" });
  }
  expect(await part({ range: "bytes=2-4", "if-range": etag })).toEqual([
    206,
    "234",
    "bytes 2-4/10",
  ]);
  expect((await part({ range: "bytes=2-4", "if-range": '"other"' }))[0]).toBe(200);
  for (const condition of [etag, `"x", W/${etag}`, "*"]) {
    const same = await ask(path, { "if-none-match": condition });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", etag]);
  }
  expect((await ask(path, { "if-none-match": '"x"' })).status).toBe(200);
  expect((await ask(path, { "if-none-match": etag, range: "bytes=99-" })).status).toBe(304);
});

test("HEAD tells of the whole, whatever part it is asked for", async () => {
  const { head, keep } = await scene();
  const { id, sha256 } = await keep("0123456789");
  for (const range of ["bytes=2-4", "bytes=99-", "bytes=5-2", ""]) {
    const { status, headers } = await head(`/${id}/content`, { range });
    expect([status, headers.get("content-length"), headers.get("content-range")]).toEqual([
      ...[200, "10", null],
    ]);
    expect([headers.get("etag"), headers.get("accept-ranges")]).toEqual([`"${sha256}"`, "bytes"]);
  }
});

test("nothing at all is served as it was declared, and has no parts", async () => {
  const { ask, head, keep } = await scene();
  const { id } = await keep("", { mediaType: "image/png" });
  const path = `/${id}/content`;
  for (const suffix of ["", "?inline=true"]) {
    const { status, headers } = await head(path + suffix);
    expect([status, headers.get("content-length"), headers.get("content-type")]).toEqual([
      ...[200, "0", "image/png"],
    ]);
  }
  const answered = async (headers: Record<string, string>) => {
    const response = await ask(path, headers);
    return [response.status, response.headers.get("content-range")];
  };
  expect(await answered({})).toEqual([200, null]);
  expect(await answered({ range: "bytes=0-" })).toEqual([416, "bytes */0"]);
  expect(await answered({ range: "bytes=-5" })).toEqual([200, null]);
  expect(await answered({ range: "bytes=-0" })).toEqual([416, "bytes */0"]);
});

test("a client that leaves in the middle leaves no open file", async () => {
  const { ask, head, keep, root } = await scene();
  const asset = await keep(Buffer.alloc(20_000_000));
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((descriptor) => {
      const path = `/proc/self/fd/${descriptor}`;
      return readlinkOf(path)?.startsWith(root) === true;
    });
  const response = await ask(`/${asset.id}/content`);
  expect(openFiles()).toHaveLength(1);
  await response.body?.cancel();
  await head(`/${asset.id}/content`);
  await (await ask(`/${asset.id}/content`)).arrayBuffer();
  await waitUntil("its end", () => openFiles().length === 0);
});

function readlinkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}

test("a file that is lost is told", async () => {
  const { ask, keep, pathOf } = await scene();
  const asset = await keep("lost");
  rmSync(pathOf(asset.sha256));
  const lost = await ask(`/${asset.id}/content`);
  expect(lost.status).toBe(410);
  expect(await lost.json()).toMatchObject({ code: "asset-lost" });
  expect(lost.headers.get("content-disposition")).toBeNull();
});

// Uploads over real HTTP: as they are or in a form, under limits, whole or not there, and harmless under any name.
import { request } from "node:http";
import { join } from "node:path";
import type { Asset, AssetList, Problem } from "@croft/contract";
import { createApp, deleteApp, sweepAssets } from "@croft/engine";
import { expect, test } from "vitest";
import { assetScene, sha256Of } from "./support/asset-scene.ts";
import { startS3 } from "./support/s3-server.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { mountSmallDisk } from "./support/small-disk.ts";
import { waitUntil } from "./support/wait-until.ts";

const COMMIT = "a".repeat(40);
const MISSING = "00000000-0000-4000-8000-000000000000";
const LIMIT = 10 * 1024 * 1024;

async function scene(flags: Record<string, string> = {}) {
  const assets = await assetScene(flags);
  const { engine, files, staged, query } = assets;
  const server = await scratchServer(engine);
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  const one = await createApp(engine.database, "one");
  const other = await createApp(engine.database, "other");
  const tokens = { local: engine.localToken, one: one.token, other: other.token };
  const ask = (method: string, path: string, init: RequestInit = {}, who = tokens.local) =>
    fetch(`${url}/api/assets${path}`, {
      ...init,
      ...{ method, redirect: "manual", duplex: "half" },
      headers: { authorization: `Bearer ${who}`, ...init.headers },
    } as RequestInit);
  const upload = async (
    path: string,
    body: NonNullable<RequestInit["body"]>,
    type?: string,
    who?: string,
  ) => {
    const headers = type === undefined ? {} : { "content-type": type };
    const response = await ask("POST", path, { body, headers }, who);
    return { response, status: response.status, body: (await response.json()) as Asset & Problem };
  };
  /** Nothing of it is anywhere. */
  const isBare = async () =>
    files().length === 0 &&
    staged().length === 0 &&
    (
      await query(
        "select from croft.asset_file union all select from croft.asset_removal union all select from croft.asset",
      )
    ).length === 0;
  return { ...assets, url, ask, upload, tokens, isBare, appId: one.app.id };
}

function formOf(fields: Record<string, string>, contents: string, name: string, type = "") {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append("file", new Blob([contents], { type }), name);
  return form;
}

test("a file is its body, or a part of a form, and says where it belongs", async () => {
  const { upload, ask, read, appId, tokens } = await scene();
  const path = `?name=a%2Fü.md&source_task_id=t-1&commit=${COMMIT}`;
  const raw = await upload(path, "# Title", "text/markdown", tokens.one);
  expect(raw.status).toBe(201);
  expect(raw.body).toMatchObject({
    ...{ owner: `app:${appId}`, kind: "upload", name: "a/ü.md", bytes: 7 },
    ...{ media_type: "text/markdown", declared_type: "text/markdown", sha256: sha256Of("# Title") },
    ...{ source_task_id: "t-1", commit: COMMIT, job_id: null, expires_at: null },
  });
  expect(raw.response.headers.get("location")).toBe(`/api/assets/${raw.body.id}`);
  expect(await (await ask("GET", `/${raw.body.id}`)).json()).toEqual(raw.body);
  expect(await read(raw.body.id)).toBe("# Title");

  const form = await upload("", formOf({}, "<svg/>", "bild ü.svg", "image/svg+xml"));
  expect(form.body).toMatchObject({ name: "bild ü.svg", media_type: "image/svg+xml" });
  const named = formOf({ name: "other", source_task_id: "t-2", commit: COMMIT }, "x", "file.txt");
  expect((await upload("", named)).body).toMatchObject({ name: "other", source_task_id: "t-2" });
  const late = new FormData();
  late.append("file", new Blob(["x"]), "../../etc/passwd");
  late.append("source_task_id", "t-3");
  const { body } = await upload("", late);
  expect(body).toMatchObject({ name: "../../etc/passwd", source_task_id: "t-3" });

  for (const empty of [await upload("?name=e", ""), await upload("", formOf({}, "", "e"))]) {
    expect(empty.body).toMatchObject({ bytes: 0, sha256: sha256Of("") });
  }
  const json = await upload("?name=j", '{"a":1}', "application/json");
  expect(json.body).toMatchObject({ media_type: "application/json", bytes: 7 });
  const lie = await upload("?name=l", "<html><script>1</script>", "image/png");
  expect(lie.body).toMatchObject({ media_type: "text/html", declared_type: "image/png" });
});

test("listed by type, name, contents, size, kind and source; removed once", async () => {
  const { upload, ask, keep, files, tokens, assets } = await scene();
  const svg = (await upload("?name=Plan_1.svg&source_task_id=s", "<svg/>")).body;
  const text = (await upload("?name=notes%25.txt", "text")).body;
  await keep("an artifact");
  const listed = async (query: string, who?: string) => {
    const response = await ask("GET", `?${query}`, {}, who);
    expect(response.status).toBe(200);
    return ((await response.json()) as AssetList).assets.map(({ id }) => id);
  };
  expect(await listed("kind=upload")).toEqual([text.id, svg.id]);
  expect(await listed("type=image")).toEqual([svg.id]);
  expect(await listed("type=image/svg%2Bxml")).toEqual([svg.id]);
  expect(await listed("type=text/plain&kind=upload")).toEqual([text.id]);
  expect(await listed("search=PLAN_")).toEqual([svg.id]);
  expect(await listed("search=%25")).toEqual([text.id]);
  expect(await listed(`sha256=${svg.sha256}`)).toEqual([svg.id]);
  expect(await listed("name=notes%25.txt")).toEqual([text.id]);
  expect(await listed("kind=upload&bytes_min=5")).toEqual([svg.id]);
  expect(await listed("kind=upload&bytes_max=5")).toEqual([text.id]);
  const lie = (await upload("?name=l", "<html>", "image/png")).body;
  expect(await listed("declared_type=image/png")).toEqual([lie.id]);
  expect((await ask("DELETE", `/${lie.id}`)).status).toBe(204);
  expect((await ask("GET", "?sha256=ab")).status).toBe(422);
  expect(await listed("source_task_id=s")).toEqual([svg.id]);
  expect(await listed("source_task_id=s", tokens.one)).toEqual([]);
  expect((await ask("GET", "?type=a%20b")).status).toBe(422);
  expect((await ask("GET", "?search=")).status).toBe(422);

  expect((await ask("DELETE", `/${svg.id}`)).status).toBe(204);
  for (const path of [`/${svg.id}`, `/${svg.id}/content`]) {
    expect((await ask("GET", path)).status).toBe(404);
  }
  expect((await ask("DELETE", `/${svg.id}`)).status).toBe(404);
  await sweepAssets(assets);
  expect(files()).toHaveLength(2);
});

test("another app's asset is answered as one that is missing, on every route and in every filter", async () => {
  const { upload, ask, tokens, read } = await scene();
  const path = `?name=a&source_task_id=secret&commit=${COMMIT}`;
  const { body: foreign } = await upload(path, "foreign", "text/plain", tokens.one);
  const answer = async (method: string, suffix: string, id: string) => {
    const response = await ask(method, `/${id}${suffix}`, {}, tokens.other);
    const problem = (await response.json()) as Problem;
    return [response.status, { ...problem, request_id: "" }];
  };
  for (const [method, suffix] of [
    ...[
      ["GET", ""],
      ["GET", "/content"],
      ["GET", "/content?inline=true"],
      ["DELETE", ""],
    ],
  ] as const) {
    const [own, missing] = [await answer(method ?? "", suffix ?? "", foreign.id), MISSING];
    expect(own).toEqual(await answer(method ?? "", suffix ?? "", missing));
    expect(own[0]).toBe(404);
  }
  for (const filter of ["source_task_id=secret", `commit=${COMMIT}`, `owner=${foreign.owner}`]) {
    const list = await (await ask("GET", `?${filter}`, {}, tokens.other)).json();
    expect(list).toEqual({ assets: [], next_cursor: null });
  }
  expect(await read(foreign.id)).toBe("foreign");
});

test("what is larger than allowed is refused while it comes, and nothing of it is kept", async () => {
  const { upload, isBare, ask } = await scene();
  const refused = [
    await upload("?name=a", Buffer.alloc(LIMIT + 1)), // says how long it is
    await upload("?name=a", Buffer.alloc(3 * LIMIT)),
    await upload("", formOf({}, "x".repeat(LIMIT + 1), "a")),
  ];
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      if (sent > 4 * LIMIT) controller.close();
      else controller.enqueue(new Uint8Array(65_536));
      sent += 65_536;
    },
  });
  refused.push(await upload("?name=a", endless));
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([413, "too-large"]);
    expect(body.detail).toContain(`${LIMIT} bytes (assets.uploadMaxBytes)`);
  }
  expect(await isBare()).toBe(true);
  expect((await upload("?name=a", Buffer.alloc(LIMIT))).status).toBe(201);
  expect((await ask("GET", "")).status).toBe(200);
});

test.each(["raw", "form"])(
  "a client that hangs up in the middle leaves nothing (%s)",
  async (way) => {
    const { url, tokens, isBare, staged, upload, keep, query } = await scene();
    await keep("so that there is a store");
    await query("delete from croft.asset");
    const headers = {
      authorization: `Bearer ${tokens.local}`,
      "transfer-encoding": "chunked",
      "content-type": way === "raw" ? "text/plain" : "multipart/form-data; boundary=b",
    };
    const asked = request(`${url}/api/assets?name=a`, { method: "POST", headers });
    asked.on("error", () => {}); // it is our own doing
    const head = '--b\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n';
    asked.write((way === "raw" ? "" : head) + "x".repeat(100_000));
    await waitUntil("the first part of it", () => staged().length === 1);
    asked.destroy();
    await waitUntil("its end", () => staged().length === 0);
    expect(await query("select from croft.asset")).toEqual([]);
    expect(await query("select from croft.asset_file")).toHaveLength(1);
    expect((await upload("?name=b", "after")).status).toBe(201);
    expect(await isBare()).toBe(false);
  },
);

test("forms and names that are not right are told, and leave nothing", async () => {
  const { upload, isBare, keep, ask, query, assets } = await scene();
  const first = await keep("so that there is a store");
  await ask("DELETE", `/${first.id}`);
  await sweepAssets(assets);
  const two = formOf({}, "x", "a");
  two.append("file", new Blob(["y"]), "b");
  const multipart = "multipart/form-data; boundary=b";
  const part = '--b\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\nx';
  const wrong: [number, { status: number; body: Problem }][] = [
    [422, await upload("", "no name")],
    [422, await upload(`?name=${"x".repeat(4096)}`, "x")],
    [422, await upload("?name=a%00b", "x")],
    [422, await upload("?name=a%0ab", "x")],
    [422, await upload("?name=", "x")],
    [422, await upload("?name=a&commit=main", "x")],
    [422, await upload("?name=a&unknown=1", "x")],
    [422, await upload("", two)],
    [422, await upload("", formOf({ commit: "main" }, "x", "a"))],
    [422, await upload("", formOf({ unknown: "1" }, "x", "a"))],
    [422, await upload("", formOf({ name: "n".repeat(300) }, "x", "a"))],
    [422, await upload("", formOf({ name: "n".repeat(3000) }, "x", "a"))],
    [422, await upload("", "--b--\r\n", multipart)],
    [400, await upload("", "--b\r\n\r\n--b--\r\n", multipart)],
    [400, await upload("", part, multipart)],
    [400, await upload("", "nothing like a form", multipart)],
    [400, await upload("", part, "multipart/form-data")],
  ];
  for (const [status, answer] of wrong) {
    expect(answer).toMatchObject({ status, body: { code: expect.any(String) } });
  }
  expect(await isBare()).toBe(true);
  expect(await query("select bytes::int from croft.asset_usage")).toEqual([{ bytes: 0 }]);
});

test.each([
  ["../../etc/passwd", "__.._etc_passwd"],
  ["/etc/passwd", "_etc_passwd"],
  [`${"x".repeat(250)}.html`, `${"x".repeat(195)}.html`],
  ["photo\u202egpj.exe", "photo_gpj.exe"],
  ["CON", "_CON"],
  ["..", "_"],
  ['a"; filename="b', "a_; filename=_b"],
])("the name %j is kept, and harmless to whoever downloads it", async (name, plain) => {
  const { upload, ask } = await scene();
  const { status, body } = await upload(`?name=${encodeURIComponent(name)}`, "x");
  expect([status, body.name]).toEqual([201, name]);
  const headers = (await ask("GET", `/${body.id}/content`)).headers;
  const said = headers.get("content-disposition") ?? "";
  expect(said.startsWith(`attachment; filename="${plain.replace(/[;=]/g, "_")}"; `)).toBe(true);
  expect(decodeURIComponent(/UTF-8''(.*)$/.exec(said)?.[1] ?? "")).not.toMatch(/[/\\\u202e]/);
});

test("shown in a frame only what a browser can show, and unable to do anything there", async () => {
  const { upload, ask } = await scene();
  const shown = async (contents: string | Buffer, type: string) => {
    const { id } = (await upload("?name=a", contents, type)).body;
    const { headers, status } = await ask("GET", `/${id}/content?inline=true`);
    const kind = headers.get("content-disposition")?.split(";")[0];
    expect([status, headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    return { kind, headers, type: headers.get("content-type") };
  };
  const page = await shown("<html><script>1</script>", "text/html");
  expect(page).toMatchObject({ kind: "inline", type: "text/html" });
  expect(page.headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'; sandbox",
  );
  expect(page.headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect(await shown("<svg/>", "image/svg+xml")).toMatchObject({ kind: "inline" });
  expect(await shown("# a", "text/markdown")).toMatchObject({
    ...{ kind: "inline", type: "text/plain; charset=utf-8" },
  });
  expect(await shown("{}", "application/json")).toMatchObject({ kind: "inline" });
  expect(await shown("%PDF-1.7", "application/pdf")).toMatchObject({
    ...{ kind: "attachment", type: "application/pdf" },
  });
  const other = await shown(Buffer.from([1, 2, 250]), "application/x-own");
  expect(other).toMatchObject({ kind: "attachment", type: "application/x-own" });
  expect(other.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(other.headers.get("x-frame-options")).toBe("DENY");
  expect((await ask("GET", `/${MISSING}/content?inline=yes`)).status).toBe(422);
});

test("no more than the budget, however many come at once; what goes makes room", async () => {
  const { upload, ask, assets, query } = await scene({ "assets.budgetBytes": "1000" });
  const all = await Promise.all(
    Array.from({ length: 8 }, (_, number) => upload("?name=a", `${number}`.repeat(300))),
  );
  const kept = all.filter(({ status }) => status === 201);
  expect(kept).toHaveLength(3);
  for (const { status, body } of all.filter((each) => !kept.includes(each))) {
    expect([status, body.code]).toEqual([507, "disk-full"]);
    expect(body.detail).toContain("assets.budgetBytes");
  }
  expect(await query("select bytes::int from croft.asset_usage")).toEqual([{ bytes: 900 }]);
  expect((await upload("?name=a", "x".repeat(100))).status).toBe(201);
  expect((await upload("?name=a", "y")).status).toBe(507);
  await ask("DELETE", `/${kept[0]?.body.id}`);
  await sweepAssets(assets);
  expect((await upload("?name=a", "z".repeat(300))).status).toBe(201);
});

test("an app that is deleted while it uploads leaves nothing", async () => {
  const { engine, upload, appId, tokens, query, keep } = await scene();
  await keep("so that there is a store");
  let isAsked = false;
  const slow = new ReadableStream({
    async pull(controller) {
      if (!isAsked) {
        isAsked = true;
        controller.enqueue(Buffer.from("half"));
        return;
      }
      await deleteApp(engine.database, appId);
      controller.enqueue(Buffer.from("rest"));
      controller.close();
    },
  });
  expect(await upload("?name=a", slow, "text/plain", tokens.one)).toMatchObject({ status: 401 });
  expect(await query("select from croft.asset where owner <> 'local'")).toEqual([]);
});

test("a bucket that may be asked directly is named, for a while", async () => {
  const s3 = await startS3();
  const { upload, ask } = await scene({ ...s3.flags, "assets.s3.presign": "true" });
  const { body } = await upload("?name=ü.txt", "in the bucket");
  const sent = await ask("GET", `/${body.id}/content`);
  expect([sent.status, sent.headers.get("cache-control")]).toEqual([302, "no-store"]);
  const address = sent.headers.get("location") ?? "";
  expect(address.startsWith(`${s3.endpoint}/assets/croft/files/`)).toBe(true);
  const got = await fetch(address);
  expect(await got.text()).toBe("in the bucket");
  expect(got.headers.get("content-disposition")).toContain("attachment; ");
  const inline = await ask("GET", `/${body.id}/content?inline=true`);
  expect([inline.status, await inline.text()]).toEqual([200, "in the bucket"]);
  await s3.stop();
  expect((await ask("GET", `/${body.id}/content?inline=true`)).status).toBe(503);
  expect((await upload("?name=b", "more")).status).toBe(503);
});

test.runIf(process.getuid?.() === 0)(
  "on a full disk an upload is refused with the reason, and goes through when there is room",
  async () => {
    const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), { sizeMiB: 16 });
    const { upload, staged, files } = await scene({
      "assets.path": join(disk.path, "assets"),
      "disk.reserveBytes": "0",
    });
    expect((await upload("?name=a", "before")).status).toBe(201);
    disk.fill(1024 * 1024);
    const refused = await upload("?name=b", Buffer.alloc(3_000_000, 1));
    expect([refused.status, refused.body.code]).toEqual([507, "disk-full"]);
    expect([staged(), files().length]).toEqual([[], 1]);
    disk.free();
    expect((await upload("?name=b", Buffer.alloc(3_000_000, 1))).status).toBe(201);
  },
);

test.runIf(process.getuid?.() === 0)(
  "on a disk that is full before anything was stored it is the same, and nobody learns where that is",
  async () => {
    const disk = mountSmallDisk(join(await scratchDirectory(), "disk"), {
      sizeMiB: 16,
      files: 300,
    });
    const { upload } = await scene({
      "assets.path": join(disk.path, "assets"),
      "disk.reserveBytes": "0",
    });
    // Room for nothing; for its directories but not for the mark in them; for all but the file.
    for (const files of [0, 1, 2, 3, 20]) {
      disk.fillWithFiles(files);
      const { status, body } = await upload("?name=a", "x");
      expect([files, status, body.code]).toEqual([files, 507, "disk-full"]);
      expect(JSON.stringify(body)).not.toContain(disk.path);
      disk.free();
    }
    expect((await upload("?name=a", "x")).status).toBe(201);
  },
);

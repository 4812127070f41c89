// What an app may read of a repository that it watches: the files it was told of, while its credential opens them.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { WatchFile, WatchFileList } from "@croft/contract";
import { expect, test } from "vitest";
import { engineOn } from "./support/scratch-engine.ts";
import { waitUntil } from "./support/wait-until.ts";
import { asking, watchedRepository } from "./support/watched-repository.ts";

/** `mode blob size path` of all, as git lists them; names as latin1. */
function treeOf(bare: string, commit: string): string[] {
  const args = ["-C", bare, "ls-tree", "-r", "-l", "-z", commit];
  const listed = execFileSync("git", args, { maxBuffer: 2 ** 26 }).toString("latin1");
  return listed
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [head = "", path = ""] = line.split("\t");
      const [mode, , blob, size] = head.split(/ +/);
      return [mode, blob, size === "-" ? "0" : size, path].join(" ");
    });
}

function shownAs({ mode, blob, size, path, path_encoding }: WatchFile): string {
  return [mode, blob, size, Buffer.from(path, path_encoding ?? "utf8").toString("latin1")].join(
    " ",
  );
}

const ODD = `ln -s /etc/passwd link; mkdir -p docs/deep; echo a > docs/deep/a.md; echo B > docs/B.md
printf 'x' > "$(printf 'bad\\377name')"; printf '%s' ':(top)x' > ':(top)docs'; chmod +x docs/B.md`;

async function scene(odd = ODD) {
  const parts = await watchedRepository();
  const commit = await parts.push(odd);
  const app = await parts.onboard("docs");
  const files = async (id: string, query: Record<string, string> = {}, token = app.token) =>
    await parts.ask(token, "GET", `/api/repositories/${id}/files?${new URLSearchParams(query)}`);
  return {
    ...{ ...parts, commit, app, files },
    content: async (
      id: string,
      path: string | Record<string, string>,
      headers: Record<string, string> = {},
      method: "GET" | "HEAD" = "GET",
    ) => {
      const query = new URLSearchParams(typeof path === "string" ? { path } : path);
      const url = `/api/repositories/${id}/content?${query}`;
      return await parts.ask(app.token, method, url, { headers });
    },
    all: async (id: string, query: Record<string, string> = {}) => {
      const found: WatchFile[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await files(id, { ...query, ...(cursor === "" ? {} : { cursor }) });
        expect(page.status).toBe(200);
        const list = page.json() as WatchFileList;
        found.push(...list.files);
        cursor = list.next_cursor;
      }
      return found;
    },
  };
}

test("all files of the commit, page by page, and parts of them by their names", async () => {
  const { app, watch, told, bare, commit, files, all } = await scene();
  const { id } = await watch(app.id);
  expect((await files(id)).json()).toMatchObject({ files: [], next_cursor: null });
  await told(id, commit);
  const tree = treeOf(bare, commit);
  expect((await all(id)).map(shownAs)).toEqual(tree);
  expect((await all(id, { limit: "1" })).map(shownAs)).toEqual(tree);
  const named = async (query: Record<string, string>) =>
    (await all(id, { ...query, limit: "2" })).map(({ path }) => path);
  expect(await named({ prefix: "docs/" })).toEqual(["docs/B.md", "docs/deep/a.md"]);
  expect(await named({ search: "b.MD" })).toEqual(["docs/B.md"]);
  expect(await named({ prefix: "docs/", search: "deep" })).toEqual(["docs/deep/a.md"]);
  expect(await named({ search: "nowhere" })).toEqual([]);
  const odd = (await all(id, { prefix: "bad" })).map(({ path, path_encoding }) => [
    ...[path, path_encoding],
  ]);
  expect(odd).toEqual([[Buffer.from("bad\xffname", "latin1").toString("base64"), "base64"]]);
  for (const cursor of ["x", `${commit}.`, `${"0".repeat(40)}.YQ`, `${commit}.YQ.YQ`, "main.YQ"]) {
    expect((await files(id, { cursor })).status).toBe(422);
  }
});

test("a page that was begun goes on with its commit; one that the watch was never told of is not shown", async () => {
  const { app, watch, told, bare, commit, files, push, tip } = await scene();
  const { id } = await watch(app.id);
  await told(id, commit);
  const first = (await files(id, { limit: "3" })).json() as WatchFileList;
  const next = await push("git rm -q -r docs; echo new > aaa.md");
  await told(id, next);
  const rest = await files(id, { limit: "1000", cursor: first.next_cursor ?? "" });
  expect(rest.json()).toMatchObject({ commit, next_cursor: null });
  const both = [...first.files, ...(rest.json() as WatchFileList).files];
  expect(both.map(shownAs)).toEqual(treeOf(bare, commit));
  expect((await files(id)).json()).toMatchObject({ commit: await tip() });
  // In the mirror, but before the watch's time.
  const older = execFileSync("git", ["-C", bare, "rev-parse", `${commit}^`], { encoding: "utf8" });
  expect((await files(id, { cursor: `${older.trim()}.YQ` })).status).toBe(422);
});

test("what the filters and the ignore file hide is not there", async () => {
  const { app, watch, told, commit, all, content, push } = await scene();
  const { id } = await watch(app.id, {
    include: ["docs/**", ".croftignore"],
    exclude: ["**/B.md"],
  });
  await told(id, commit);
  expect((await all(id)).map(({ path }) => path)).toEqual(["docs/deep/a.md"]);
  expect((await content(id, "docs/deep/a.md")).bytes.toString()).toBe("a\n");
  expect((await content(id, "docs/B.md")).status).toBe(404);
  const next = await push("echo deep/ > .croftignore; echo c > docs/c.md");
  await told(id, next);
  expect((await all(id)).map(({ path }) => path)).toEqual([".croftignore", "docs/c.md"]);
  expect((await content(id, "docs/deep/a.md")).status).toBe(404);
});

test("content as bytes, with conditions and parts; links are not followed", async () => {
  const { app, watch, told, commit, content } = await scene(`${ODD}
    git update-index --add --cacheinfo 160000,${"1".repeat(40)},module
    head -c 3000000 /dev/urandom > large; : > nothing`);
  const { id } = await watch(app.id);
  await told(id, commit);
  const got = await content(id, "docs/B.md");
  expect(got).toMatchObject({
    status: 200,
    headers: {
      "content-type": "application/octet-stream",
      "content-length": "2",
      etag: expect.stringMatching(/^"[0-9a-f]{40}"$/),
      "x-content-type-options": "nosniff",
      "content-disposition": expect.stringMatching(/^attachment; filename="B.md"/),
      "x-file-mode": "100755",
      "x-commit": commit,
    },
  });
  expect(got.bytes.toString()).toBe("B\n");
  const etag = String(got.headers["etag"]);
  expect(await content(id, "docs/B.md", { "if-none-match": etag })).toMatchObject({ status: 304 });
  const link = await content(id, "link");
  expect([link.bytes.toString(), link.headers["x-file-mode"]]).toEqual(["/etc/passwd", "120000"]);
  const bad = Buffer.from("bad\xffname", "latin1").toString("base64");
  expect((await content(id, { path: bad, path_encoding: "base64" })).bytes.toString()).toBe("x");
  expect((await content(id, ":(top)docs")).bytes.toString()).toBe(":(top)x");
  expect((await content(id, "nothing")).headers["content-length"]).toBe("0");
  for (const path of [
    ...[
      "missing",
      "docs",
      "docs/",
      "docs/deep",
      "docs//B.md",
      "./link",
      "../link",
      "/link",
      "module",
    ],
    ...["docs/../link", "link/passwd", "docs/B.md/", "docs/*", ":(glob)docs/*", "a\0b"],
  ]) {
    expect([path, (await content(id, path)).status]).toEqual([path, 404]);
  }
  const large = await content(id, "large");
  expect(large.bytes.length).toBe(3_000_000);
  const part = await content(id, "large", { range: "bytes=1500000-2999998" });
  expect(part.status).toBe(206);
  expect(part.headers["content-range"]).toBe("bytes 1500000-2999998/3000000");
  expect(part.bytes.equals(large.bytes.subarray(1_500_000, 2_999_999))).toBe(true);
  expect((await content(id, "docs/B.md", { range: "bytes=1-" })).bytes.toString()).toBe("\n");
  expect((await content(id, "large", { range: "bytes=3000000-" })).status).toBe(416);
  const head = await content(id, "large", {}, "HEAD");
  expect([head.status, head.bytes.length, head.headers["content-length"]]).toEqual([
    ...[200, 0, "3000000"],
  ]);
});

test("only its own app and admins read it, only while the remote lets it, only where the mirror is", async () => {
  const { app, watch, told, commit, files, content, ask, onboard, engine, remote, ...parts } =
    await scene();
  const { id } = await watch(app.id);
  await told(id, commit);
  const other = await onboard("other");
  const [foreign, missing] = [
    await files(id, {}, other.token),
    await files("00000000-0000-4000-8000-000000000000", {}, other.token),
  ];
  expect(foreign.status).toBe(404);
  expect({ ...foreign.json(), request_id: "" }).toEqual({ ...missing.json(), request_id: "" });
  const url = `/api/repositories/${id}/content?path=link`;
  expect((await ask(other.token, "GET", url)).status).toBe(404);
  expect((await ask(engine.localToken, "GET", url)).status).toBe(200);
  const keyFile = join(engine.config.data, "keys/secrets.keys");
  const flags = { ...parts.flags, "secrets.keyFile": keyFile };
  const elsewhere = await asking(await engineOn(parts.databaseUrl, flags));
  for (const what of ["files", "content?path=link"]) {
    const asked = await elsewhere(app.token, "GET", `/api/repositories/${id}/${what}`);
    expect([asked.status, asked.json().code]).toEqual([503, "mirror-elsewhere"]);
  }
  remote.tokens = new Set(["nobody has it"]);
  await waitUntil("the refusal", async () => (await content(id, "link")).status !== 200);
  expect((await content(id, "link")).json()).toMatchObject({ code: "watch-held", status: 409 });
  expect((await files(id)).json()).toMatchObject({ code: "watch-held" });
  remote.tokens = undefined;
  await waitUntil("it is open again", async () => (await files(id)).status === 200);
});

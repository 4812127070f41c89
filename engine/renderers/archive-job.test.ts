// Archives are the commit and nothing else, the same bytes each time, and read by the tools that everybody has.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { importCommits, type Tree, treeOf } from "../../test/support/import-commits.ts";
import { makeBomb } from "../../test/support/make-bomb.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { rendererScene } from "../../test/support/renderer-scene.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { cancelJob } from "../jobs/change-jobs.ts";

const COMMITTED_AT = 1_700_000_000;
const LARGE = Buffer.alloc(3 * 1024 * 1024, "all of it\n");

const TREE: Tree = treeOf({
  "read me.md": "# Hello\n",
  "bin/run": { mode: "100755", content: "#!/bin/sh\n" },
  "bin/absolute": { mode: "120000", content: "/etc/passwd" },
  "bin/up": { mode: "120000", content: "../../../outside" },
  "deep/ünï/日本.txt": "x\r\n",
  [`long/${"n".repeat(120)}/file`]: "long\n",
  "line\nbreak": "odd\n",
  large: { mode: "100644", content: LARGE },
  empty: "",
  "big.psd": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
  module: { mode: "160000", commit: "1".repeat(40) },
});

async function repositoryWith(...trees: readonly Tree[]): Promise<string> {
  const repository = await makeRepository(await scratchDirectory(), "app", { files: 0 });
  await importCommits(repository, "main", trees);
  return repository;
}

async function unpacked(format: string, content: Buffer): Promise<string> {
  const directory = await scratchDirectory();
  const file = join(directory, `archive.${format}`);
  const to = join(directory, "out");
  mkdirSync(to);
  writeFileSync(file, content);
  if (format === "zip") execFileSync("unzip", ["-q", "-^", "-o", file, "-d", to]);
  else execFileSync("tar", ["-xzf", file, "-C", to]);
  return to;
}

/** Every path with what it is; times in seconds. */
function contentsOf(directory: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(directory, below))) {
    const path = join(below, name);
    const stats = lstatSync(join(directory, path));
    if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(join(directory, path))}`;
    else if (stats.isDirectory()) {
      const inner = contentsOf(directory, path);
      if (Object.keys(inner).length === 0) found[path] = "empty directory";
      Object.assign(found, inner);
    } else {
      const hash = createHash("sha256")
        .update(readFileSync(join(directory, path)))
        .digest("hex");
      found[path] =
        `${(stats.mode & 0o777).toString(8)} ${Math.round(stats.mtimeMs / 1000)} ${hash}`;
    }
  }
  return found;
}

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const plain = (text: string | Buffer) => `644 ${COMMITTED_AT} ${sha256(text)}`;

const EXPECTED = {
  "top/read me.md": plain("# Hello\n"),
  "top/bin/run": `755 ${COMMITTED_AT} ${sha256("#!/bin/sh\n")}`,
  "top/bin/absolute": "link /etc/passwd",
  "top/bin/up": "link ../../../outside",
  "top/deep/ünï/日本.txt": plain("x\r\n"),
  [`top/long/${"n".repeat(120)}/file`]: plain("long\n"),
  "top/line\nbreak": plain("odd\n"),
  "top/large": plain(LARGE),
  "top/empty": plain(""),
  "top/big.psd": plain("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"),
  "top/module": "empty directory",
};

test.each(["tar.gz", "zip"])("a %s has the files of the commit, read by others", async (format) => {
  const repository = await repositoryWith(TREE);
  const { render } = await rendererScene();
  const { job, files } = await render("archive", { repository, format, prefix: "top" });
  expect(job).toMatchObject({ status: "done", result: { format, prefix: "top", files: 10 } });
  const commit = await git(["--git-dir", repository, "rev-parse", "main"]);
  expect(files).toMatchObject([
    { name: `app-${commit.slice(0, 12)}.${format}`, commit, kind: "generated" },
  ]);
  expect(contentsOf(await unpacked(format, files[0]?.content ?? LARGE))).toEqual(EXPECTED);
});

test.each(["tar.gz", "zip"])(
  "two %s of one commit are the same bytes, made by two engines",
  async (format) => {
    const repository = await repositoryWith(TREE);
    const [one, two] = [await rendererScene(), await rendererScene()];
    const hashes = await Promise.all(
      [one, one, two].map(async ({ render }) => {
        const { job, files } = await render("archive", { repository, format });
        return [files[0]?.sha256, (job.result as { tar_sha256?: string }).tar_sha256];
      }),
    );
    expect(hashes[0]?.[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(hashes.map(String)).size).toBe(1);
  },
);

test("the gzip head names no time and no system, and the tar is what the result says", async () => {
  const repository = await repositoryWith(TREE);
  const { render } = await rendererScene();
  const { job, files } = await render("archive", { repository });
  const content = files[0]?.content ?? LARGE;
  expect(content.subarray(0, 10).toString("hex")).toBe("1f8b08000000000000ff");
  expect(job.result).toMatchObject({ tar_sha256: sha256(gunzipSync(content)) });
});

test("attributes of the commit leave files out; nothing else in them has an effect", async () => {
  const attributes = [
    ...["secret export-ignore", "tests/ export-ignore", "*.log export-ignore"],
    ...["stamp export-subst", "crlf text eol=crlf", "filtered filter=evil", "id ident"],
  ];
  const repository = await repositoryWith(
    treeOf({
      ".gitattributes": `${attributes.join("\n")}\n`,
      "sub/.gitattributes": "kept.log -export-ignore\n",
      ...{
        secret: "s",
        "tests/a": "t",
        "tests/deep/b": "t",
        "sub/kept.log": "k",
        "sub/x.log": "x",
      },
      ...{ stamp: "$Format:%H %D$", crlf: "a\n", filtered: "f", id: "$Id$", keep: "k" },
      testsuite: "not the directory",
    }),
  );
  const { render } = await rendererScene();
  const { files } = await render("archive", { repository, prefix: "" });
  const found = contentsOf(await unpacked("tar.gz", files[0]?.content ?? LARGE));
  expect(found).toEqual({
    ".gitattributes": plain(`${attributes.join("\n")}\n`),
    "sub/.gitattributes": plain("kept.log -export-ignore\n"),
    ...{ "sub/kept.log": plain("k"), stamp: plain("$Format:%H %D$"), crlf: plain("a\n") },
    ...{ filtered: plain("f"), id: plain("$Id$"), keep: plain("k") },
    testsuite: plain("not the directory"),
  });
});

test("only the paths that are named; one that is not there fails the job", async () => {
  const repository = await repositoryWith(TREE);
  const { render } = await rendererScene();
  const wanted = { repository, prefix: "", paths: ["bin/", "deep/ünï", "empty"] };
  const { files } = await render("archive", wanted);
  const found = contentsOf(await unpacked("tar.gz", files[0]?.content ?? LARGE));
  expect(Object.keys(found).sort()).toEqual(
    ["bin/absolute", "bin/run", "bin/up", "deep/ünï/日本.txt", "empty"].sort(),
  );
  const { job } = await render("archive", { ...wanted, paths: ["*.md"] });
  expect(job).toMatchObject({
    ...{ status: "failed", attempt: 1 },
    error: { class: "invalid", code: "no-such-path", message: "the commit has no '*.md'" },
  });
});

test("names that are no UTF-8 come out as they went in", async () => {
  const name = "caf\xe9"; // latin1
  const repository = await repositoryWith(new Map([[name, { mode: "100644", content: "x" }]]));
  const { render } = await rendererScene();
  const { files } = await render("archive", { repository, prefix: "" });
  const directory = await unpacked("tar.gz", files[0]?.content ?? LARGE);
  expect(readdirSync(directory, { encoding: "buffer" })).toEqual([Buffer.from(name, "latin1")]);
});

test("a prefix that leads elsewhere, and a path of the machine for an app, are refused", async () => {
  const repository = await repositoryWith(TREE);
  const { submit, render } = await rendererScene();
  for (const prefix of ["../up", "/abs", "a//b", "a/./b", "x\ny"]) {
    await expect(submit("archive", { repository, prefix })).rejects.toMatchObject({
      code: "invalid-input",
    });
  }
  const { job } = await render("archive", { repository }, "app:1");
  expect(job).toMatchObject({
    status: "failed",
    error: { code: "invalid-remote", class: "invalid" },
  });
});

test("an app does not reach an address that is not public", async () => {
  const { render } = await rendererScene();
  const { job } = await render("archive", { repository: "https://127.0.0.1:9/x" }, "app:1");
  expect(job).toMatchObject({ status: "failed", attempt: 1 });
  expect(job.error).toMatchObject({ class: "invalid", code: "private-address" });
});

test.each(["tar.gz", "zip"])(
  "a small repository with more files than anybody packs fails before the first, as %s",
  async (format) => {
    const repository = await makeBomb(await scratchDirectory(), {
      ...{ depth: 7, files: { ".gitattributes": "* export-ignore\n" } },
    });
    const { engine, render } = await rendererScene();
    const { job } = await render("archive", { repository, format });
    expect(job).toMatchObject({
      ...{ status: "failed", attempt: 1 },
      error: {
        ...{ class: "invalid", code: "too-many-files" },
        message: "the commit has more than 2000000 files and directories",
      },
    });
    expect(readdirSync((await engine.git()).directories.staging)).toEqual([]);
    const part = await render("archive", { repository, format, paths: ["0/1/2/3"] });
    expect(part.job).toMatchObject({ status: "done", result: { files: 0 } });
  },
);

test("a path that no file can have fails the job", async () => {
  const repository = await makeBomb(await scratchDirectory(), { depth: 3, nameLength: 1500 });
  const { render } = await rendererScene();
  const { job } = await render("archive", { repository });
  expect(job.error).toMatchObject({ class: "invalid", code: "path-too-long" });
  expect(job.error?.message).toContain("more than 4096 bytes: '000");
});

test("a cancelled archive ends, and leaves nothing in staging", async () => {
  const repository = await makeRepository(await scratchDirectory(), "many", {
    files: 20_000,
    odd: true,
  });
  const { engine, submit, ended } = await rendererScene();
  const id = await submit("archive", { repository, format: "zip" });
  await waitUntil("its progress", async () => {
    const { rows } = await engine.database.pool.query(
      "select 1 from croft.event where subject = $1 and type = 'job.progress' and data ->> 'note' = 'packing'",
      [id],
    );
    return rows.length > 0;
  });
  await cancelJob(engine.database, { owner: undefined }, id);
  const { job } = await ended(id);
  expect(["cancelled", "done"]).toContain(job.status);
  expect(readdirSync((await engine.git()).directories.staging)).toEqual([]);
});

// Blobs come whole, in order and byte by byte, through a git that may die, and no slow reader keeps the others.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProcesses } from "../../test/support/find-processes.ts";
import { git, makeRepository } from "../../test/support/make-repository.ts";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { BlobReader } from "./blob-reader.ts";

async function blobScene() {
  const root = await scratchDirectory();
  const gitDir = await makeRepository(root, "app", { files: 100, odd: true });
  const reader = new BlobReader({ gitDir });
  onTestFinished(() => reader.close());
  const listing = await git([
    "--git-dir",
    gitDir,
    "ls-tree",
    "-r",
    "--format=%(objectname)",
    "main",
  ]);
  const write = async (content: Buffer) => {
    const child = spawn("git", ["--git-dir", gitDir, "hash-object", "-w", "--stdin"]);
    const said = once(child.stdout, "data");
    child.stdin.end(content);
    return String((await said)[0]).trim();
  };
  const gits = () =>
    findProcesses([gitDir])
      .filter((line) => line.includes("cat-file"))
      .map((line) => Number.parseInt(line, 10));
  return { gitDir, reader, ids: listing.split("\n"), write, gits };
}

const idOf = (content: Buffer) =>
  createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test("many reads at once give each its own content", async () => {
  const { reader, ids } = await blobScene();
  const wanted = [...ids, ...ids, ...ids];
  const contents = await Promise.all(wanted.map((id) => reader.readBlob(id)));
  expect(contents.map(idOf)).toEqual(wanted);
});

test("what is not there, no blob, or too large fails alone", async () => {
  const { reader, ids, gitDir, write } = await blobScene();
  const [first = ""] = ids;
  const tree = await git(["--git-dir", gitDir, "rev-parse", "main^{tree}"]);
  const large = await write(randomBytes(3_000_000));
  const answers = await Promise.allSettled([
    reader.readBlob(first),
    reader.readBlob("1".repeat(40)),
    reader.readBlob(first),
    reader.readBlob(tree),
    reader.readBlob(large, { maxBytes: 1000 }),
    reader.readBlob(large),
    reader.readBlob(first),
  ]);
  expect(
    answers.map((each) => (each.status === "fulfilled" ? each.value.length > 0 : each.reason.code)),
  ).toEqual([true, "not-found", true, "not-found", "too-large", true, true]);
  await expect(reader.readBlob("main")).rejects.toThrow("not a blob's id");
});

test("a large blob is streamed from anywhere, as slowly as its reader likes", async () => {
  const { reader, write, ids } = await blobScene();
  const content = randomBytes(20_000_000);
  const id = await write(content);
  expect(idOf(await joined(reader.streamBlob(id)))).toBe(id);
  const rest = await joined(reader.streamBlob(id, { start: 19_999_990 }));
  expect(rest.equals(content.subarray(19_999_990))).toBe(true);
  expect(await joined(reader.streamBlob(id, { start: 20_000_000 }))).toHaveLength(0);
  const slow = reader.streamBlob(id);
  await slow.next();
  expect(idOf(await reader.readBlob(ids[0] ?? ""))).toBe(ids[0]); // meanwhile
  await slow.return(undefined);
});

test("a killed git is started again, and nobody's read is lost", async () => {
  const { reader, ids, gits } = await blobScene();
  await reader.readBlob(ids[0] ?? "");
  for (let round = 0; round < 5; round++) {
    const reads = ids.map((id) => reader.readBlob(id));
    for (const pid of gits()) process.kill(pid, "SIGKILL");
    expect((await Promise.all(reads)).map(idOf)).toEqual(ids);
  }
});

test("who leaves is told so at once; who closes leaves no git behind", async () => {
  const { reader, ids, write, gits } = await blobScene();
  const leaving = new AbortController();
  const read = reader.readBlob(ids[0] ?? "", { signal: leaving.signal });
  leaving.abort(new Error("left"));
  await expect(read).rejects.toThrow("left");
  expect(idOf(await reader.readBlob(ids[1] ?? ""))).toBe(ids[1]);
  const id = await write(randomBytes(5_000_000));
  const ending = new AbortController();
  const stream = reader.streamBlob(id, { signal: ending.signal });
  await stream.next();
  ending.abort();
  await expect(joined(stream)).rejects.toMatchObject({ code: "aborted" });
  const open = reader.readBlob(ids[2] ?? "").catch((error: unknown) => error);
  await reader.close();
  expect(await open).toMatchObject({ code: "aborted" });
  await expect(reader.readBlob(ids[2] ?? "")).rejects.toMatchObject({ code: "aborted" });
  await waitUntil("no git is left", () => gits().length === 0);
});

test("a repository that is not there is an error, not a wait", async () => {
  const reader = new BlobReader({ gitDir: join(await scratchDirectory(), "none.git") });
  await expect(reader.readBlob("1".repeat(40))).rejects.toMatchObject({ code: "corrupt" });
  await reader.close();
});

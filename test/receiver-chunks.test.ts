// Large files in chunks: lost, repeated, in the wrong order, damaged on disk, and with the receiver killed in between.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@croft/receiver";
import { expect, test } from "vitest";
import { bundleMirror, startMirror } from "./support/mirror-process.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { serveReceiver } from "./support/serve-receiver.ts";
import {
  chunkedFile,
  chunksOf,
  filesChanged,
  keptFile,
  type SentMessage,
  send,
  WATCH_ID,
} from "./support/signed-messages.ts";

const CHUNK_BYTES = 1000;
const content = Buffer.alloc(9_500, "0123456789abcde");
const chunks = chunksOf("large", content, { chunkBytes: CHUNK_BYTES });
const complete = filesChanged({ files: [chunkedFile("large", content)] });

async function contentSink() {
  const directory = await scratchDirectory();
  const hashes: string[] = [];
  const served = await serveReceiver({
    store: openStore(directory),
    onFiles: ({ files }) => {
      for (const file of files) {
        if (file.change === "deleted" || file.content?.kind !== "file") continue;
        const hash = createHash("sha256").update(readFileSync(file.content.file));
        hashes.push(hash.digest("hex"));
      }
    },
  });
  const transfers = join(directory, "transfers");
  return { ...served, hashes, transfers };
}

const wholeHash = createHash("sha256").update(content).digest("hex");

test("chunks make the file, which is gone from the store when it was handled", async () => {
  const { url, hashes, transfers } = await contentSink();
  for (const chunk of chunks) expect((await send(url, chunk)).status).toBe(200);
  expect(readdirSync(transfers)).toEqual([expect.stringMatching(/\.whole$/)]);
  expect((await send(url, complete)).status).toBe(200);
  expect(hashes).toEqual([wholeHash]);
  expect(readdirSync(transfers)).toEqual([]);
  expect((await send(url, complete)).body).toBe('{"status":"seen before"}');
});

test("a chunk that comes before its time is refused with the one that is missing", async () => {
  const { url, hashes } = await contentSink();
  expect(await send(url, at(5))).toMatchObject({ status: 409, resumeFrom: "0" });
  for (const index of [0, 1, 0, 2, 1]) expect((await send(url, at(index))).status).toBe(200);
  expect(await send(url, at(9))).toMatchObject({ status: 409, resumeFrom: "3" });
  expect(await send(url, complete)).toMatchObject({ status: 409, resumeFrom: "0" });
  expect(hashes).toEqual([]);
  for (const chunk of chunks.slice(3)) expect((await send(url, chunk)).status).toBe(200);
  expect((await send(url, complete)).status).toBe(200);
  expect(hashes).toEqual([wholeHash]);
});

test("all at once, in any order, over and over: in the end the file is right", async () => {
  const { url, hashes } = await contentSink();
  const random = seededRandom(7);
  for (let status = 0; status !== 200; ) {
    const some = Array.from({ length: 8 }, () => at(random.below(chunks.length)));
    const answers = await Promise.all(some.map((chunk) => send(url, chunk)));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    ({ status } = await send(url, complete));
  }
  expect(hashes).toEqual([wholeHash]);
});

test("a chunk whose hash is wrong, or that has no place in its file, is refused with 422", async () => {
  const { url, transfers } = await contentSink();
  const good = JSON.parse(at(1).body.toString());
  const wrong: object[] = [
    { index: 10 },
    { index: 11, total: 12 },
    { offset: 999 },
    { offset: 5 },
    { size: 0 },
    { size: 999 },
    { total: 9 },
    { total: 0 },
    { sha256: wholeHash },
  ];
  for (const change of wrong) {
    const data = { ...good.data, transfer: { ...good.data.transfer, ...change } };
    const body = Buffer.from(JSON.stringify({ ...good, data }));
    const { status } = await send(url, { id: "msg_wrong", body });
    expect(status, JSON.stringify(change)).toBe(422);
  }
  expect(await send(url, at(0))).toMatchObject({ status: 200 });
  expect(readdirSync(transfers)).toHaveLength(1);
});

test("a file larger than is wanted is refused with 413 at its first chunk", async () => {
  const directory = await scratchDirectory();
  const store = openStore(directory, { transfers: { fileBytesMax: content.length - 1 } });
  const { url } = await serveReceiver({ store });
  expect((await send(url, at(0))).status).toBe(413);
});

test("what was damaged on disk is found at the end and asked for again, once", async () => {
  const { url, hashes, transfers } = await contentSink();
  for (let round = 0; round < 2; round++) {
    for (const chunk of chunks.slice(0, -1)) expect((await send(url, chunk)).status).toBe(200);
    const [name = ""] = readdirSync(transfers);
    writeFileSync(join(transfers, name), "damage", { flag: "r+" });
    const expected = round === 0 ? { status: 409, resumeFrom: "0" } : { status: 422 };
    expect(await send(url, at(9))).toMatchObject(expected);
  }
  for (const chunk of chunks) expect((await send(url, chunk)).status).toBe(200);
  expect((await send(url, complete)).status).toBe(200);
  expect(hashes).toEqual([wholeHash]);
});

test("a chunk that was cut off in the middle of writing is written again", async () => {
  const { url, hashes, transfers } = await contentSink();
  for (const chunk of chunks.slice(0, 4)) await send(url, chunk);
  const [name = ""] = readdirSync(transfers);
  truncateSync(join(transfers, name), 3_500);
  expect(await send(url, at(4))).toMatchObject({ status: 409, resumeFrom: "3" });
  for (const chunk of chunks.slice(3)) expect((await send(url, chunk)).status).toBe(200);
  await send(url, complete);
  expect(hashes).toEqual([wholeHash]);
});

test("transfers that nobody goes on with are removed after some days", async () => {
  const directory = await scratchDirectory();
  const first = await serveReceiver({ store: openStore(directory) });
  await send(first.url, at(0));
  const transfers = join(directory, "transfers");
  const [name = ""] = readdirSync(transfers);
  utimesSync(join(transfers, name), 1, 1);
  const second = await serveReceiver({ store: openStore(directory) });
  const [other] = chunksOf("other", content, { chunkBytes: CHUNK_BYTES });
  expect(other && (await send(second.url, other)).status).toBe(200);
  expect(readdirSync(transfers)).not.toContain(name);
  expect(readdirSync(transfers)).toHaveLength(1);
});

test("a receiver killed ten times in the middle of a transfer ends up with the file", {
  timeout: 180_000,
}, async () => {
  const scratch = await scratchDirectory();
  const program = await bundleMirror(scratch);
  const folder = join(scratch, "mirror");
  const random = seededRandom(8);
  const large = Buffer.alloc(100 * 40_000, "some content that is large, ");
  const parts = chunksOf("dir/large", large, { chunkBytes: 40_000 });
  const last = filesChanged({ files: [chunkedFile("dir/large", large, "100755")] });
  let mirror = await startMirror(program, folder);
  let kills = 0;
  let killAt = random.below(10);
  for (let index = 0, sent = 0; index <= parts.length; sent++) {
    if (sent === killAt && kills < 10) {
      kills++;
      killAt = sent + 1 + random.below(16);
      const inFlight = send(mirror.url, parts[index] ?? last).catch(() => undefined);
      if (random.below(2) === 0) await new Promise((resolve) => setImmediate(resolve));
      await mirror.kill();
      await inFlight;
      mirror = await startMirror(program, folder);
    }
    const { status, resumeFrom } = await send(mirror.url, parts[index] ?? last);
    if (status === 409) index = Number(resumeFrom);
    else if (status === 200) index++;
    else throw new Error(`answered ${status}`);
  }
  expect(kills).toBe(10);
  expect(readFileSync(join(folder, WATCH_ID, "dir/large")).equals(large)).toBe(true);
  const small = filesChanged({ sync: 2, files: [keptFile("dir/large", "small now")] });
  expect((await send(mirror.url, small)).status).toBe(200);
  expect(readFileSync(join(folder, WATCH_ID, "dir/large"), "utf8")).toBe("small now");
});

function at(index: number): SentMessage {
  const chunk = chunks[index];
  if (chunk === undefined) throw new Error(`there is no chunk ${index}`);
  return chunk;
}

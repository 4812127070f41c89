// What comes out of a sandbox is one line and so many bytes, however they are cut.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/support/scratch-directory.ts";
import { PackReceiver } from "./receive-pack.ts";

const ID = "0123456789abcdef0123456789abcdef01234567";

async function receive(chunks: Iterable<Buffer>, maxBytes = 1000) {
  const file = join(await scratchDirectory(), "incoming.pack");
  const receiver = new PackReceiver(file, maxBytes);
  await pipeline(Readable.from(chunks), receiver);
  return { commit: receiver.commit, pack: readFileSync(file), packBytes: receiver.packBytes };
}

test("line and pack are told apart wherever the pieces begin and end", async () => {
  const pack = Buffer.from([10, 0, 255, 10, 13, 10, ...Buffer.from("PACK\n\n")]);
  const bytes = Buffer.concat([Buffer.from(`${ID}\n`), pack]);
  for (const length of [1, 2, 7, 40, 41, 42, 100]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
      bytes.subarray(index * length, (index + 1) * length),
    );
    expect(await receive(chunks)).toEqual({ commit: ID, pack, packBytes: pack.length });
  }
});

test("a first line that is no commit's id gives none", async () => {
  for (const line of ["", "HEAD", ID.slice(1), `${ID}0`, ID.toUpperCase(), `--${ID}`, `../${ID}`]) {
    expect((await receive([Buffer.from(`${line}\nPACK`)])).commit).toBeUndefined();
  }
  expect((await receive([])).commit).toBeUndefined();
  expect((await receive([Buffer.from(ID)])).commit).toBeUndefined(); // the line has no end
});

test("a first line without end is not waited for", async () => {
  const endless = (function* () {
    for (;;) yield Buffer.alloc(64, "a");
  })();
  const refusal = {
    code: "result-refused",
    message: expect.stringContaining("does not begin with"),
  };
  await expect(receive(endless)).rejects.toMatchObject(refusal);
});

test("bytes without end are taken up to the limit and not one further", async () => {
  let given = 0;
  const endless = (function* () {
    yield Buffer.from(`${ID}\n`);
    for (;;) {
      given += 100;
      yield Buffer.alloc(100);
    }
  })();
  await expect(receive(endless, 1000)).rejects.toMatchObject({
    code: "result-refused",
    message: expect.stringContaining("larger than 1000 bytes"),
  });
  expect(given).toBeLessThan(100_000);
  const just = await receive([Buffer.from(`${ID}\n`), Buffer.alloc(1000)], 1000);
  expect(just.packBytes).toBe(1000);
});

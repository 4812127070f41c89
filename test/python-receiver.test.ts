// The receiver that docs/deliveries.md shows in Python, taken from there and run.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../scripts/source-files.ts";
import { scratchDirectory } from "./support/scratch-directory.ts";
import {
  chunkedFile,
  chunksOf,
  deletedFile,
  filesChanged,
  keptFile,
  messageOf,
  OTHER_SECRET,
  SECRET,
  send,
  signedHeaders,
} from "./support/signed-messages.ts";
import { waitUntil } from "./support/wait-until.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

async function startReceiver(directory: string) {
  const page = readFileSync(join(projectRoot, "docs/deliveries.md"), "utf8");
  const program = /```python\n(.*?)```/s.exec(page)?.[1];
  if (program === undefined) throw new Error("the page has no program");
  writeFileSync(join(directory, "receiver.py"), program);
  const child = spawn("python3", ["receiver.py", "0"], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", CROFT_SIGNING_SECRET: SECRET },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const end = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await end;
  };
  onTestFinished(kill);
  const url = await waitUntil("its address", () => /listens on (\S+)/.exec(output)?.[1]);
  const applied = () =>
    output
      .split("\n")
      .slice(1, -1)
      .map((line) => JSON.parse(line));
  return { url, applied, kill };
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

test.skipIf(!hasPython)("it verifies, refuses, deduplicates and puts chunks together", async () => {
  const directory = await scratchDirectory();
  const first = await startReceiver(directory);
  const message = filesChanged({
    files: [
      deletedFile("old"),
      keptFile("caf\u00c3\u00a9", "héllo"),
      keptFile("\xff", Buffer.from([0, 255]), "100755"),
    ],
  });
  const wrong = [
    {},
    signedHeaders(message, { secrets: [OTHER_SECRET] }),
    signedHeaders(message, { at: new Date(Date.now() - 310_000) }),
    { ...signedHeaders(message), "webhook-id": "msg_other" },
  ];
  for (const headers of wrong) expect((await send(first.url, message, headers)).status).toBe(401);
  const both = signedHeaders(message, { secrets: [OTHER_SECRET, SECRET] });
  expect((await send(first.url, message, both)).status).toBe(200);
  const again = await Promise.all([1, 2, 3].map(() => send(first.url, message)));
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
  const expected = [
    ["deleted", "old", null, null],
    ["created", "caf\u00c3\u00a9", "100644", sha256("héllo")],
    ["created", "\xff", "100755", sha256(Buffer.from([0, 255]))],
  ];
  expect(first.applied()).toEqual(expected);
  for (const other of [messageOf("ping", {}), messageOf("of.tomorrow", {})]) {
    expect((await send(first.url, other)).status).toBe(200);
  }
  expect((await send(first.url, { id: "msg_1", body: Buffer.from("{") })).status).toBe(400);
  for (const path of ["../x", "/x", "a/.git/x", ""]) {
    const { status } = await send(first.url, filesChanged({ files: [keptFile(path, "x")] }));
    expect(status, path).toBe(422);
  }

  const large = Buffer.alloc(4_500, "large ");
  const chunks = chunksOf("large", large, { chunkBytes: 1000 });
  const complete = filesChanged({ files: [chunkedFile("large", large)] });
  for (const chunk of chunks.slice(0, 2)) expect((await send(first.url, chunk)).status).toBe(200);
  await first.kill();
  const second = await startReceiver(directory);
  expect(await send(second.url, chunks[4] ?? complete)).toMatchObject({
    status: 409,
    resumeFrom: "2",
  });
  expect(await send(second.url, complete)).toMatchObject({ status: 409, resumeFrom: "0" });
  for (const chunk of chunks) expect((await send(second.url, chunk)).status).toBe(200);
  expect((await send(second.url, complete)).status).toBe(200);
  expect((await send(second.url, message)).status).toBe(200);
  expect(second.applied()).toEqual([["created", "large", "100644", sha256(large)]]);
  expect(readdirSync(join(directory, "transfers"))).toEqual([]);
});

// The receiver kit over real HTTP: what it takes, what it refuses, and what it does with nonsense.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { Refusal } from "@croft/receiver";
import { describe, expect, test } from "vitest";
import { seededRandom } from "./support/seeded-random.ts";
import { serveReceiver } from "./support/serve-receiver.ts";
import {
  chunksOf,
  deletedFile,
  filesChanged,
  keptFile,
  messageOf,
  OTHER_SECRET,
  SECRET,
  type SentMessage,
  send,
  signedHeaders,
  WATCH_ID,
} from "./support/signed-messages.ts";
import { waitUntil } from "./support/wait-until.ts";

const watch = { id: WATCH_ID, url: "https://example.com/docs.git", ref: "refs/heads/main" };

describe("signatures", () => {
  test("a message signed by another library is handled, byte for byte", async () => {
    const { url, received } = await serveReceiver();
    const bytes = Buffer.from([0, 1, 2, 255]);
    const message = filesChanged({
      files: [
        deletedFile("old"),
        keptFile("caf\u00c3\u00a9\n", "héllo\u0000\n"),
        keptFile("\xff", bytes),
      ],
    });
    expect(await send(url, message)).toMatchObject({ status: 200 });
    const files = received[0]?.files.map((file) => [
      file.path.toString("latin1"),
      file.change === "deleted" || file.content?.kind !== "bytes" ? null : file.content.bytes,
    ]);
    expect(files).toEqual([
      ["old", null],
      ["caf\u00c3\u00a9\n", Buffer.from("héllo\u0000\n")],
      ["\xff", bytes],
    ]);
  });

  test("one right signature of several is enough, and one right secret of several", async () => {
    const { url } = await serveReceiver({ secrets: [OTHER_SECRET, SECRET] });
    const both = messageOf("ping", {});
    const secrets = [`whsec_${Buffer.alloc(24, 7).toString("base64")}`, OTHER_SECRET];
    expect((await send(url, both, signedHeaders(both, { secrets }))).status).toBe(200);
    const old = messageOf("ping", {});
    const headers = signedHeaders(old);
    headers["webhook-signature"] = `v1a,AAAA v1,short ${headers["webhook-signature"]} v2,x`;
    expect((await send(url, old, headers)).status).toBe(200);
  });

  test("what is not signed, wrongly, too early or too late is refused with 401", async () => {
    const { url, received } = await serveReceiver();
    const message = filesChanged({ files: [] });
    const right = signedHeaders(message);
    const wrong: Record<string, string>[] = [
      {},
      signedHeaders(message, { secrets: [OTHER_SECRET] }),
      signedHeaders(message, { at: new Date(Date.now() - 310_000) }),
      signedHeaders(message, { at: new Date(Date.now() + 310_000) }),
      { ...right, "webhook-id": "msg_other" },
      { ...right, "webhook-timestamp": String(Number(right["webhook-timestamp"]) + 1) },
      { ...right, "webhook-timestamp": "1e9" },
      { ...right, "webhook-signature": "" },
      { ...right, "webhook-signature": "v1," },
      { ...right, "webhook-signature": right["webhook-signature"]?.replace("v1", "v2") ?? "" },
      { ...right, "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` },
    ];
    for (const headers of wrong) expect((await send(url, message, headers)).status).toBe(401);
    const changed = { ...message, body: Buffer.concat([message.body, Buffer.from(" ")]) };
    expect((await send(url, changed, right)).status).toBe(401);
    expect(received).toEqual([]);
    expect((await send(url, message, right)).status).toBe(200);
  });
});

describe("messages", () => {
  test("each kind comes to its handler; an unknown one is accepted and ignored", async () => {
    const seen: unknown[] = [];
    const keep = (data: unknown) => void seen.push(data);
    const { url } = await serveReceiver({
      ...{ onSyncFailed: keep, onSyncRecovered: keep, onPing: keep },
      ...{ onJobFinished: keep, onRunFinished: keep },
    });
    const error = { code: "credential-refused", message: "no" };
    const failure = { watch, error, since: "2026-11-16T12:00:00.000Z", retry_at: null };
    const ended = {
      ...{ id: "019a", status: "failed", attempt: 2, error: { ...error, class: "command" } },
      ...{ created_at: failure.since, started_at: null, finished_at: failure.since },
    };
    const kinds: [string, object][] = [
      ["sync.failed", failure],
      ["sync.recovered", { watch }],
      [
        "job.finished",
        { job: { ...ended, type: "x", key: null, source_task_id: "7", retry_of: null } },
      ],
      [
        "run.finished",
        {
          run: {
            ...{ ...ended, name: "x", number: 3, repository: "r", ref: null, commit: null },
            source_task_id: null,
          },
        },
      ],
      ["ping", {}],
    ];
    for (const [type, data] of kinds) {
      expect((await send(url, messageOf(type, data))).status).toBe(200);
    }
    expect(seen).toEqual(kinds.map(([, data]) => data));
    const unknown = await send(url, messageOf("repository.renamed", { anything: 1 }));
    expect(unknown).toMatchObject({ status: 200, body: '{"status":"ignored"}' });
  });

  test("signed nonsense is refused with 400, a path that leads out or into .git with 422", async () => {
    const { url, received, errors } = await serveReceiver();
    const nonsense = ["", "{", "null", "[]", '{"type":"ping"}', '{"type":7,"data":{}}', "\xff"];
    for (const body of nonsense) {
      const message = { id: "msg_nonsense", body: Buffer.from(body, "latin1") };
      const { status } = await send(url, message, signedBytes(message));
      expect(status, body).toBe(400);
    }
    for (const path of [
      "../x",
      "/etc/x",
      "a/../../x",
      "a//b",
      ".",
      "",
      ".git/config",
      "a/.GIT/b",
      "a\0b",
    ]) {
      const { status } = await send(url, filesChanged({ files: [keptFile(path, "x")] }));
      expect(status, path).toBe(422);
      expect((await send(url, filesChanged({ files: [deletedFile(path)] }))).status, path).toBe(
        422,
      );
      const [chunk] = chunksOf(path, Buffer.alloc(20), { chunkBytes: 10 });
      expect(chunk && (await send(url, chunk)).status, path).toBe(422);
    }
    const forged = { ...keptFile("a", "x"), content: "y" };
    expect((await send(url, filesChanged({ files: [forged] }))).status).toBe(422);
    expect({ received, errors }).toEqual({ received: [], errors: [] });
  });

  test("bodies that were damaged in every way never crash it, nor come to a handler unchecked", async () => {
    const { url, errors } = await serveReceiver();
    const random = seededRandom(6);
    const good = [
      filesChanged({ files: [deletedFile("a"), keptFile("b", "text"), keptFile("\xff", "\xff")] }),
      ...chunksOf("large", Buffer.alloc(50, 1), { chunkBytes: 20 }),
      messageOf("sync.failed", { watch, error: { code: "x", message: "y" }, since: "z" }),
    ];
    const values = [
      "null",
      "-1",
      "1e400",
      '""',
      "[]",
      "{}",
      '"__proto__"',
      "9007199254740993",
      '"\\ud800"',
    ];
    for (let number = 0; number < 400; number++) {
      const text = good[random.below(good.length)]?.body.toString() ?? "";
      const fields = [...text.matchAll(/"[a-z_0-9]+":("[^"]*"|\d+|true|false|null)/g)];
      const field = fields[random.below(fields.length)];
      const value = values[random.below(values.length)] ?? "";
      const at = random.below(text.length);
      const damaged =
        random.below(3) === 0 || field === undefined
          ? text.slice(0, at) + value + text.slice(at + random.below(9))
          : text.replace(field[0], `${field[0].split(":", 1)[0]}:${value}`);
      const message = { id: `msg_${number}`, body: Buffer.from(damaged) };
      const { status } = await send(url, message);
      expect([200, 400, 409, 413, 422], damaged).toContain(status);
    }
    expect(errors).toEqual([]);
    expect((await send(url, messageOf("ping", {}))).status).toBe(200);
  });
});

describe("repetitions", () => {
  test("a message that comes ten times at once is handled once, and all get the same answer", async () => {
    let open: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    let calls = 0;
    const { url } = await serveReceiver({
      onFiles: async () => {
        calls++;
        await held;
      },
    });
    const message = filesChanged({ files: [] });
    const answers = Array.from({ length: 10 }, () => send(url, message));
    await waitUntil("the handler's start", () => calls > 0);
    open?.();
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    expect((await send(url, message)).body).toBe('{"status":"seen before"}');
    expect(calls).toBe(1);
  });

  test("a handler that fails is asked again; one that refuses chooses the answer", async () => {
    const answers = [new Error("disk full"), new Refusal(503, "later", { "retry-after": "7" })];
    const { url, errors } = await serveReceiver({
      onFiles: () => {
        const error = answers.shift();
        if (error !== undefined) throw error;
      },
    });
    const message = filesChanged({ files: [] });
    expect(await send(url, message)).toMatchObject({ status: 500 });
    expect(await send(url, message)).toMatchObject({ status: 503 });
    expect(await send(url, message)).toMatchObject({ status: 200, body: '{"status":"handled"}' });
    expect(errors).toHaveLength(1);
  });
});

describe("requests", () => {
  test("only POST is taken", async () => {
    const { url } = await serveReceiver();
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await fetch(url, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("a body that is too long is refused with 413, announced or not, while it is read", async () => {
    const { url, port } = await serveReceiver({ listener: { bodyBytesMax: 1000 } });
    const long = { id: "msg_long", body: Buffer.alloc(200_000, 32) };
    expect((await send(url, long)).status).toBe(413);
    const piece = `1000\r\n${"x".repeat(4096)}\r\n`;
    const answer = await talk(
      port,
      `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${piece}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test("a body that does not come is given up with 408; one that breaks off is nobody's", async () => {
    const { url, port, errors } = await serveReceiver({ listener: { bodyTimeoutMs: 50 } });
    const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf";
    expect(await talk(port, head)).toMatch(/^HTTP\/1.1 408 /);
    for (let number = 0; number < 20; number++) {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(head, () => socket.resetAndDestroy()),
      );
      await once(socket, "close");
    }
    expect((await send(url, messageOf("ping", {}))).status).toBe(200);
    expect(errors).toEqual([]);
  });
});

/** The other library signs text only. */
function signedBytes(message: SentMessage): Record<string, string> {
  const headers = signedHeaders(message);
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`${message.id}.${headers["webhook-timestamp"]}.`);
  return { ...headers, "webhook-signature": `v1,${mac.update(message.body).digest("base64")}` };
}

/** What the server says until it ends the connection. */
async function talk(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let said = "";
  for await (const chunk of socket) said += chunk;
  return said;
}

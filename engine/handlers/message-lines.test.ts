// Messages as lines: cut anywhere, many at once, too long, none at all.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { waitUntil } from "../../test/support/wait-until.ts";
import { MessageLines } from "./message-lines.ts";

function listen(
  lengthMax: number,
  onMessage = (_message: unknown): Promise<void> | undefined => undefined,
) {
  const socket = new PassThrough();
  const heard: unknown[] = [];
  const junk: string[] = [];
  new MessageLines(socket, {
    lengthMax,
    onMessage: (message) => {
      heard.push(message);
      return onMessage(message);
    },
    onJunk: (what) => junk.push(what),
  });
  return { socket, heard, junk };
}

test("a message may come in any pieces, and many in one", async () => {
  const messages = [{ text: "é\n" }, [], "x".repeat(500), 1];
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  for (const size of [1, 2, 7, bytes.length]) {
    const { socket, heard } = listen(1000);
    for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
    await waitUntil("all of them", () => heard.length === messages.length);
    expect(heard).toEqual(messages);
  }
});

test("a hundred thousand messages in one piece are heard", async () => {
  const { socket, heard } = listen(1000);
  socket.write("1\n".repeat(100_000));
  await waitUntil("all of them", () => heard.length === 100_000);
});

test("nothing more is heard until a message that is waited for is done", async () => {
  let goOn = () => {};
  const first = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { socket, heard } = listen(1000, (message) => (message === 1 ? first : undefined));
  socket.write("1\n2\n");
  socket.write("3\n");
  await waitUntil("the first", () => heard.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([1]);
  goOn();
  await waitUntil("the others", () => heard.length === 3);
  expect(heard).toEqual([1, 2, 3]);
});

test.each([
  ["no JSON", "{\n1\n"],
  ["too long", `"${"x".repeat(2000)}"\n1\n`],
  ["too long, without an end", "x".repeat(2000)],
])("what is %s is refused, and nothing is heard after it", async (_what, text) => {
  const { socket, heard, junk } = listen(1000);
  socket.write(text);
  await waitUntil("the refusal", () => junk.length === 1);
  socket.write("2\n");
  await new Promise((resolve) => setImmediate(resolve));
  expect({ heard, junk: junk.length }).toEqual({ heard: [], junk: 1 });
});

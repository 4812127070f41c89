// Bodies under a limit of memory: what is too large is refused, what is slow makes room, and nothing is counted twice.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { EngineError } from "@croft/engine";
import { expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../test/support/wait-until.ts";
import { BodyReceiver } from "./receive-body.ts";

async function scene(limits: { bodyBytesMax: number; allBytesMax: number }) {
  const bodies = new BodyReceiver(limits);
  const ends: string[] = [];
  const server = createServer(async (raw, answer) => {
    let end: string;
    try {
      end = await bodies.receive(raw, async (body) => `${body.length}`);
    } catch (error) {
      end = error instanceof EngineError ? error.code : String(error);
    }
    ends.push(end);
    answer.end(end);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const begin = (headers: Record<string, string> = {}) => {
    const sent = request({ host: "127.0.0.1", port, method: "POST", headers });
    sent.on("error", () => {}); // cut off on purpose
    const answered = new Promise<string>((resolve) => {
      sent.on("response", async (response) => {
        let text = "";
        for await (const piece of response) text += piece;
        resolve(text);
      });
    });
    return { sent, answered };
  };
  const send = async (bytes: number) => {
    const { sent, answered } = begin();
    sent.end(Buffer.alloc(bytes));
    return await answered;
  };
  return { bodies, ends, begin, send };
}

test("a body of the limit is taken, one byte more is not, announced or not", async () => {
  const { bodies, begin, send } = await scene({ bodyBytesMax: 100_000, allBytesMax: 1_000_000 });
  expect(await send(0)).toBe("0");
  expect(await send(100_000)).toBe("100000");
  expect(await send(100_001)).toBe("too-large");
  const unannounced = begin({ "transfer-encoding": "chunked" });
  unannounced.sent.write(Buffer.alloc(60_000));
  unannounced.sent.end(Buffer.alloc(60_000));
  expect(await unannounced.answered).toBe("too-large");
  const boasting = begin({ "content-length": "99999999999" });
  boasting.sent.flushHeaders();
  expect(await boasting.answered).toBe("too-large");
  expect(bodies.heldBytes).toBe(0);
});

test("where many send slowly, those that came first are refused, and the next gets through", async () => {
  const { bodies, begin, send } = await scene({ bodyBytesMax: 1000, allBytesMax: 3000 });
  const slow = Array.from({ length: 3 }, () => begin({ "content-length": "1000" }));
  for (const [nth, { sent }] of slow.entries()) {
    sent.write(Buffer.alloc(900));
    await waitUntil("its bytes", () => bodies.heldBytes === 900 * (nth + 1));
  }
  expect(await send(1000)).toBe("1000");
  expect(await slow[0]?.answered).toBe("unavailable");
  slow[2]?.sent.end(Buffer.alloc(100));
  expect(await slow[2]?.answered).toBe("1000");
  slow[1]?.sent.destroy();
  await waitUntil("nothing to be held", () => bodies.heldBytes === 0);
});

test("one that is broken off is told as that, and leaves nothing", async () => {
  const { bodies, begin, ends } = await scene({ bodyBytesMax: 1000, allBytesMax: 3000 });
  const { sent } = begin({ "content-length": "1000" });
  sent.write(Buffer.alloc(500));
  await waitUntil("its bytes", () => bodies.heldBytes === 500);
  sent.destroy();
  await waitUntil("its end", () => ends.length === 1);
  expect(ends).toEqual(["bad-request"]);
  expect(bodies.heldBytes).toBe(0);
});

// A client of one stream that keeps what it needs to tell afterwards: which events came, how often, and how late.

import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";

export interface StreamAddress {
  readonly url: string;
  readonly token: string;
}

export interface StreamReader {
  /** How often each event of the job came, by its number. */
  readonly seen: Map<number, number>;
  readonly delaysMs: number[];
  close(): void;
}

/** What the bench writes into an event: when it was about to be sent, by the clock of this machine. */
export interface Stamp {
  readonly sent_ms: number;
}

/** A time that means the same wherever it is read in this process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves when the server has answered; `onEnd` tells that it has closed the stream, which it should not. */
export async function openReader(
  { url, token }: StreamAddress,
  onEnd: (reason: string) => void,
): Promise<StreamReader> {
  const reader = { seen: new Map<number, number>(), delaysMs: [] as number[] };
  let isClosed = false;
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const sent = request(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`a stream was answered ${response.statusCode}`));
        return;
      }
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const atMs = nowMs();
        const messages = (rest + chunk).split("\n\n");
        rest = messages.pop() ?? "";
        for (const message of messages) note(reader, message, atMs);
      });
      response.on("close", () => isClosed || onEnd("the server has closed a stream"));
      resolve({
        ...reader,
        close: () => {
          isClosed = true;
          sent.destroy();
        },
      });
    });
    sent.on("error", (error) => {
      if (isClosed) return;
      reject(error);
      onEnd(error.message);
    });
    sent.end();
  });
}

function note(
  { seen, delaysMs }: Pick<StreamReader, "seen" | "delaysMs">,
  message: string,
  atMs: number,
): void {
  const id = /^id: (\d+)$/m.exec(message)?.[1];
  const data = /^data: (.*)$/m.exec(message)?.[1];
  if (id === undefined || data === undefined) return; // a heartbeat
  seen.set(Number(id), (seen.get(Number(id)) ?? 0) + 1);
  const { sent_ms: sentMs } = (JSON.parse(data) as { data: Partial<Stamp> }).data;
  if (sentMs !== undefined) delaysMs.push(atMs - sentMs);
}

/** Asks for a stream and never reads a byte of it. */
export async function openSleeper({ url, token }: StreamAddress): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
  });
  socket.on("error", () => {}); // the server may cut it off
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

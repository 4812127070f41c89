// Clients that upload files to a server, and remove some of them, however often it is killed under them.
import { request } from "node:http";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Asset } from "@croft/contract";
import type { RunningServer } from "../support/croft-process.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { piecesOf } from "./numbered-contents.ts";

const AGAIN_MS = 50;

export class AssetUploaders {
  /** Acknowledged, by id, with the number of their contents. */
  readonly kept = new Map<string, number>();
  /** Acknowledged as removed. */
  readonly removed = new Set<string>();
  readonly failures: string[] = [];
  acknowledged = 0;
  cutOff = 0;
  readonly #server: () => RunningServer;
  readonly #random: SeededRandom;
  readonly #clients: readonly Promise<void>[];
  #number = 0;
  #isOver = false;

  constructor(server: () => RunningServer, random: SeededRandom, clients: number) {
    this.#server = server;
    this.#random = random;
    this.#clients = Array.from({ length: clients }, () => this.#work());
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #work(): Promise<void> {
    while (!this.#isOver && this.failures.length === 0) {
      try {
        await this.#upload(this.#number++);
        if (this.#random.below(4) === 0) await this.#removeOne();
      } catch (error) {
        if (!(error instanceof CutOff)) this.failures.push(String(error));
        this.cutOff++;
        await delay(AGAIN_MS);
      }
    }
  }

  async #upload(number: number): Promise<void> {
    const { status, text } = await this.#ask("POST", `?name=${number}`, piecesOf(number));
    if (status !== 201) throw new Error(`upload ${number}: ${status} ${text}`);
    this.acknowledged++;
    this.kept.set((JSON.parse(text) as Asset).id, number);
  }

  async #removeOne(): Promise<void> {
    const ids = [...this.kept.keys()];
    const id = ids[this.#random.below(ids.length)];
    if (id === undefined) return;
    this.kept.delete(id); // if the answer is lost, nobody knows
    const { status } = await this.#ask("DELETE", `/${id}`);
    if (status !== 204) throw new Error(`removal of ${id}: ${status}`);
    this.removed.add(id);
  }

  /** Not with `fetch`: when its server is killed while it sends, it may wait for ever. */
  async #ask(method: string, path: string, body: AsyncIterable<Uint8Array> | [] = []) {
    const { url, token } = this.#server();
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${url}/api/assets${path}`, { method, headers, agent: false });
    const answered = new Promise<Answer>((resolve, reject) => {
      asked.once("response", (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, text }),
          reject,
        );
      });
      asked.once("error", reject);
      asked.once("close", () => reject(new Error("closed without an answer")));
    });
    const sent = pipeline(Readable.from(body), asked);
    const [, answer] = await Promise.all([sent, answered]).catch((error: unknown) => {
      throw new CutOff("the server was killed", { cause: error });
    });
    return answer;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

class CutOff extends Error {}

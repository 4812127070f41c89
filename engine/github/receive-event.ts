// Takes events of GitHub in. Those that come while others are being written are written together, in one transaction.

import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import type { Database } from "../database/open-database.ts";
import { newId } from "../new-id.ts";
import { factsOf, readPayload } from "./github-event.ts";

/** A request whose signature is right; nothing of it has been read yet. */
export interface IncomingEvent {
  readonly deliveryId: string;
  readonly name: string;
  readonly body: Buffer;
  readonly isForm: boolean;
}

export interface ReceivedEvent {
  /** Of the first time it came. */
  readonly id: string;
  readonly status: InboxStatus;
}

export type InboxStatus = "pending" | "handled" | "ignored" | "failed";

interface Waiting {
  readonly row: Readonly<Record<string, unknown>> & { readonly delivery_id: string };
  readonly body: Buffer;
  resolve(received: ReceivedEvent): void;
  reject(error: unknown): void;
}

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export class EventIntake {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the event is durable: now, or since an earlier time. Throws `invalid-json` for what is no payload. */
  async receive({ deliveryId, name, body, isForm }: IncomingEvent): Promise<ReceivedEvent> {
    const { action, installation, repository, pullRequest, sender } = factsOf(
      readPayload(body, isForm),
    );
    const row = {
      ...{ id: newId(), delivery_id: deliveryId, event: name, is_form: isForm },
      ...{ action, installation, repository_id: repository?.id, repository: repository?.fullName },
      ...{ pull_request: pullRequest, sender: sender?.login },
    };
    return await new Promise<ReceivedEvent>((resolve, reject) => {
      this.#waiting.push({ row, body, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting.length > 0) await this.#writeBatch(this.#nextBatch());
    } finally {
      this.#isWriting = false;
    }
  }

  /** In order; the same delivery a second time waits for the next one. */
  #nextBatch(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.body.length;
      const isFull = batch.size === BATCH_MAX || (batch.size > 0 && bytes > BATCH_BYTES_MAX);
      const { delivery_id: delivery } = waiting.row;
      if (isFull || later.length > 0 || batch.has(delivery)) later.push(waiting);
      else batch.set(delivery, waiting);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const received = await this.#store(batch);
      for (const { row, resolve, reject } of batch) {
        const found = received.get(row.delivery_id);
        if (found === undefined) reject(new Error("the database did not answer for an event"));
        else resolve(found);
      }
    } catch (error) {
      // One bad event must not cost the others theirs.
      if (batch.length === 1 || isDatabaseUnavailable(error))
        for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.#writeBatch([waiting]);
    }
  }

  async #store(batch: readonly Waiting[]): Promise<Map<string, ReceivedEvent>> {
    let at = 0;
    const rows = batch.map(({ row, body }) => {
      const starts = at;
      at += body.length;
      return { ...row, starts_at: starts, size: body.length };
    });
    const { rows: stored } = await this.#database.pool.query<
      ReceivedEvent & { readonly delivery_id: string }
    >({
      name: "receive-events",
      text: "select delivery_id, id, status from croft.receive_events($1, $2)",
      values: [JSON.stringify(rows), Buffer.concat(batch.map(({ body }) => body))],
    });
    return new Map(stored.map(({ delivery_id, id, status }) => [delivery_id, { id, status }]));
  }
}

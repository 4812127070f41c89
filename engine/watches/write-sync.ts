// Writes one step of a watch: its deliveries while they are found, and in one last transaction the step itself.
import { setImmediate as nextTurn } from "node:timers/promises";
import { inTransaction, type Queryable } from "../database/in-transaction.ts";
import type { Database } from "../database/open-database.ts";
import { despiteDeadlocks } from "../database/try-again.ts";
import {
  type DeliveryFile,
  keysOf,
  MessagePacker,
  type PathKeys,
} from "../deliveries/delivery-files.ts";
import { newId } from "../new-id.ts";
import { announceWatch, UnsyncableError } from "./watch-health.ts";
import type { WatchRow } from "./watch-rows.ts";

export interface SyncPlan {
  readonly watch: WatchRow;
  /** Whose poll of the repository it is. */
  readonly dispatcherId: string;
  readonly host: string;
  readonly to: { readonly commit: string; readonly ref: string };
  readonly isResync: boolean;
  readonly isReset: boolean;
  readonly filesMax: number;
}

/** How many are written in one statement. */
const ROWS_A_TIME = 20;
/** What is more would be written for hours, and kept for weeks. */
const FILES_MAX = 2_000_000;
/** Order is kept by each directory above a file; a real path has a dozen of them. */
const DEPTH_MAX = 256;

/** This process was taken for dead: nothing that it would write of the repository counts. */
export class PollLost extends Error {
  override readonly name = "PollLost";
}

/**
 * Deletions come first, one message after the other, and all others wait for the last of them: a directory may take the
 * place of a file. The rest may go in any order, because a path is in one message of a sync only.
 */
export class SyncWriter {
  readonly id = newId();
  readonly #database: Database;
  readonly #plan: SyncPlan;
  readonly #packer: MessagePacker;
  #rows: (PathKeys & {
    readonly files: readonly DeliveryFile[];
    readonly waits_for: string | null;
  })[] = [];
  #lastDeletion: string | undefined;
  #messages = 0;
  #files = 0;
  #added = 0;
  #isDeleting = true;

  constructor(database: Database, plan: SyncPlan) {
    this.#database = database;
    this.#plan = plan;
    this.#packer = new MessagePacker(plan.filesMax);
  }

  /** Throws when this process was taken for dead: nobody would remove what it leaves under its old name. */
  async begin(): Promise<void> {
    const { watch, dispatcherId, host, to, isResync, isReset } = this.#plan;
    const { rowCount } = await this.#database.pool.query(
      `insert into croft.sync (id, watch_id, dispatcher_id, host, from_commit, to_commit, ref, is_resync, is_reset)
       select $1, $2, id, $4, $5, $6, $7, $8, $9 from croft.dispatcher where id = $3 for key share`,
      [
        ...[this.id, watch.id, dispatcherId, host, isReset ? null : watch.told_commit],
        ...[to.commit, to.ref, isResync, isReset],
      ],
    );
    if (rowCount !== 1) throw new PollLost("the poll is another's by now");
  }

  async add(file: DeliveryFile): Promise<void> {
    requireTellable(file, ++this.#added);
    for (const files of this.#packer.add(file)) await this.#message(files);
  }

  /** From here on no deletions. */
  async endDeletions(): Promise<void> {
    for (const files of this.#packer.end()) await this.#message(files);
    await this.#flush();
    this.#isDeleting = false;
  }

  /** False when the watch is gone, was moved on by another, or the poll is another's by now: then nothing of it counts. */
  async finish(): Promise<boolean> {
    for (const files of this.#packer.end()) await this.#message(files);
    // Whoever is to forget all he has must be told so, also when nothing comes in its place.
    if (this.#plan.isReset && this.#files === 0) await this.#message([]);
    await this.#flush();
    return await despiteDeadlocks(() =>
      inTransaction(this.#database, (client) => this.#finish(client)),
    );
  }

  async abandon(): Promise<void> {
    await this.#database.pool.query("delete from croft.sync where id = $1 and state = 'making'", [
      this.id,
    ]);
  }

  async #message(files: readonly DeliveryFile[]): Promise<void> {
    this.#rows.push({ files, ...keysOf(files), waits_for: this.#lastDeletion ?? null });
    this.#files += files.length;
    await nextTurn(); // others have their turn between two messages, however deep the paths are
    if (this.#isDeleting || this.#rows.length >= ROWS_A_TIME) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const { watch, host } = this.#plan;
    const rows = this.#rows.map((row) => ({ id: newId(), message: this.#messages++, ...row }));
    this.#rows = [];
    await this.#database.pool.query(
      `with told as materialized (
         select * from jsonb_to_recordset($1) as t(
           id uuid, message integer, files jsonb, path_keys bigint[], above_keys bigint[], waits_for uuid)
       ), made as (
         insert into croft.delivery (id, app_id, watch_id, sync_id, type, message, files, path_keys, above_keys, host, state,
             waits)
           select id, $2, $3, $4, 'files.changed', message, files, path_keys, above_keys, $5, 'staged',
             (waits_for is not null)::integer from told
           returning id
       )
       insert into croft.delivery_wait (delivery_id, waits_for)
         select t.id, t.waits_for from told t join made m on m.id = t.id where t.waits_for is not null`,
      [JSON.stringify(rows), watch.app_id, watch.id, this.id, host],
    );
    if (this.#isDeleting) this.#lastDeletion = rows.at(-1)?.id;
  }

  async #finish(client: Queryable): Promise<boolean> {
    const { watch, to, dispatcherId } = this.#plan;
    const { rows } = await client.query<{ next_number: string }>(
      `select next_number from croft.watch w join croft.app a on a.id = w.app_id join croft.repository r on r.id = w.repository_id
       where w.id = $1 and w.told_commit is not distinct from $2 and a.deleted_at is null and w.removed_at is null
         and r.dispatcher_id = $3 for no key update of w`,
      [watch.id, watch.told_commit, dispatcherId],
    );
    const [held] = rows;
    if (held === undefined) {
      await client.query("delete from croft.sync where id = $1", [this.id]);
      return false;
    }
    await client.query("select croft.queue_sync($1, $2)", [this.id, held.next_number]);
    const { rows: told } = await client.query<{ seq: number }>(
      `update croft.watch set told_commit = $2, told_ref = $3, told_include = $4, told_exclude = $5, told_at = croft.now(),
         wants_resync = wants_resync and not $7, -- else somebody has asked for it meanwhile
         state = 'synced', next_number = next_number + $6, seq = seq + 1 where id = $1 returning seq`,
      [
        ...[watch.id, to.commit, to.ref, watch.include, watch.exclude, this.#messages],
        this.#plan.isResync,
      ],
    );
    await client.query(
      this.#messages === 0
        ? "delete from croft.sync where id = $1"
        : `update croft.sync set state = 'ready', messages = $2, unsettled = $2, files = $3 where id = $1`,
      this.#messages === 0 ? [this.id] : [this.id, this.#messages, this.#files],
    );
    const subject = { ...watch, seq: told[0]?.seq ?? 0 };
    const data = { commit: to.commit, files: this.#files };
    await announceWatch(client, subject, "watch.synced", data);
    await client.query("select pg_notify('croft_delivery', '')");
    return true;
  }
}

function requireTellable({ path: text, path_encoding }: DeliveryFile, count: number): void {
  if (count > FILES_MAX) {
    const message = `more than ${FILES_MAX} files would have to be told at once; choose fewer by 'include'`;
    throw new UnsyncableError("too-many-files", message);
  }
  const path = path_encoding === undefined ? text : Buffer.from(text, "base64").toString("latin1");
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth++;
  if (depth <= DEPTH_MAX) return;
  const message = `the path '${[...path.slice(0, 160)].slice(0, 80).join("")}…' lies in ${depth} directories; at most ${DEPTH_MAX} are told, so exclude it`;
  throw new UnsyncableError("path-too-deep", message);
}

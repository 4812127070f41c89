// Events of GitHub as admins see them, with what each of them started.
import type {
  GithubEffect,
  GithubEvent,
  GithubEventDetails,
  GithubEventList,
  GithubEventQuery,
} from "@croft/contract";
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";
import { readPayload } from "./github-event.ts";

interface InboxRow {
  readonly id: string;
  readonly place: string;
  readonly delivery_id: string;
  readonly event: string;
  readonly action: string | null;
  readonly installation: string | null;
  readonly repository: string | null;
  readonly pull_request: string | null;
  readonly sender: string | null;
  readonly status: GithubEvent["status"];
  readonly replay: number;
  readonly failures: number;
  readonly error: GithubEvent["error"];
  readonly due_at: Date;
  readonly size_bytes: number;
  readonly received_at: Date;
  readonly settled_at: Date | null;
}

interface EffectRow {
  readonly trigger: string;
  readonly replay: number;
  readonly job_id: string | null;
  readonly run_id: string | null;
  readonly problem: string | null;
  readonly at: Date;
}

const COLUMNS = `id, place::text, delivery_id, event, action, installation::text, repository, pull_request::text, sender, status,
  replay, failures, error, due_at, octet_length(body) as size_bytes, received_at, settled_at`;

export async function listGithubEvents(
  client: Queryable,
  { installation, event, status, cursor, limit }: GithubEventQuery,
): Promise<GithubEventList> {
  const { rows } = await client.query<InboxRow>(
    // By the column, not its text of the same name.
    `select ${COLUMNS} from croft.inbox
     where ($1::bigint is null or installation = $1) and ($2::text is null or event = $2)
       and ($3::text is null or status = $3) and ($4::bigint is null or inbox.place < $4)
     order by inbox.place desc limit $5`,
    [installation ?? null, event ?? null, status ?? null, cursor ?? null, limit + 1],
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { events: rows.slice(0, limit).map(eventOf), next_cursor: last?.place ?? null };
}

export async function readGithubEvent(client: Queryable, id: string): Promise<GithubEventDetails> {
  const { rows } = await client.query<InboxRow & { body: Buffer; is_form: boolean }>(
    `select ${COLUMNS}, body, is_form from croft.inbox where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new EngineError("not-found", "there is no such event");
  const { rows: effects } = await client.query<EffectRow>(
    `select trigger, replay, job_id, run_id, problem, at from croft.inbox_effect where inbox_id = $1
     order by replay, at, trigger`,
    [id],
  );
  return {
    ...eventOf(row),
    effects: effects.map(effectOf),
    payload: readPayload(row.body, row.is_form),
  };
}

function effectOf({ job_id, run_id, at, ...rest }: EffectRow): GithubEffect {
  return { ...rest, job: job_id, run: run_id, at: at.toISOString() };
}

function eventOf(row: InboxRow): GithubEvent {
  const { id, delivery_id, event, action, repository, sender, status, error } = row;
  const { replay, failures, size_bytes } = row;
  return {
    ...{ id, delivery_id, event, action, repository, sender, status, replay, failures, error },
    installation: row.installation === null ? null : Number(row.installation),
    pull_request: row.pull_request === null ? null : Number(row.pull_request),
    due_at: status === "pending" ? row.due_at.toISOString() : null,
    size_bytes,
    received_at: row.received_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

// Work for a pull request that is done once more: in the same line, and only while no newer event has taken its place.
import type { Queryable } from "../database/in-transaction.ts";
import { EngineError } from "../engine-error.ts";

export interface WorkAgain {
  readonly line: string;
  /** Superseded, or the newer event came after its end: what it would show is old. */
  readonly isOvertaken: boolean;
}

/** Of these jobs or runs those that are work for pull requests. Until the end of the transaction no newer event comes. */
export async function workAgain(
  client: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WorkAgain>> {
  const { rows } = await client.query<{ id: string; line: string; is_overtaken: boolean }>(
    "select id, line, is_overtaken from croft.work_again($1)",
    [ids],
  );
  return new Map(
    rows.map(({ id, line, is_overtaken }) => [id, { line, isOvertaken: is_overtaken }]),
  );
}

/** A job that comes of another: whatever takes the place of the one takes that of the other. */
export async function copyWork(client: Queryable, from: string, to: string): Promise<void> {
  await client.query("select croft.copy_work($1, $2)", [from, to]);
}

export function superseded(): EngineError {
  const message = "a newer event of the pull request took its place: retry that one's work";
  return new EngineError("superseded", message);
}

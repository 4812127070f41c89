// Tells a stream what happened to one subject and what happens to it, in order, until it has ended.
import {
  type Engine,
  type EventRow,
  eventOf,
  type FollowedState,
  readEventRows,
} from "@croft/engine";
import type { EventStream } from "./event-streams.ts";

export interface ToldSubject {
  readonly id: string;
  /** The last event that the client knows. */
  readonly after: number;
  /** When the client came. */
  readonly state: FollowedState;
  /** The types of a last event. */
  readonly final: readonly string[];
  /** As it is at that moment: for whoever cannot be told all that led there. */
  readonly show: () => Promise<unknown>;
}

export async function tellSubject(
  { database, subjects }: Pick<Engine, "database" | "subjects">,
  stream: EventStream,
  { id, after, state, final, show }: ToldSubject,
): Promise<void> {
  let last = after;
  // A run that was taken up again has ended before: only what is newest can be its end.
  const isEnd = ({ type, seq }: EventRow) => final.includes(type) && seq >= state.seq;
  const reset = async (to: number) => {
    last = to;
    return await stream.sendInStep({ id: String(to), event: "reset", data: await show() });
  };
  // From before a restore: what it knows has not happened.
  if (after > state.seq && !(await reset(state.seq))) return;
  // What is there already is read as fast as the client takes it: nobody is cut off because it is much.
  for (let isLast = false; !isLast; ) {
    const part = await readEventRows(database, id, last);
    isLast = part.isLast;
    for (const row of part.rows) {
      if (row.seq > last + 1 && !(await reset(row.seq - 1))) return;
      last = row.seq;
      if (!(await stream.sendInStep(sent(row)))) return;
      if (isEnd(row)) return stream.end();
    }
  }
  if (last < state.seq && !(await reset(state.seq))) return;
  if (state.hasEnded && last >= state.seq) return stream.end();
  const onEvents = (rows: readonly EventRow[]) => {
    for (const row of rows) {
      if (!stream.send(sent(row))) return false;
      if (!isEnd(row)) continue;
      stream.end();
      return false;
    }
    return true;
  };
  stream.atEnd(subjects.follow(id, last, { onEvents }));
}

function sent(row: EventRow) {
  return { id: String(row.seq), event: row.type, data: eventOf(row) };
}

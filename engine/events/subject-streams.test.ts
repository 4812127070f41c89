// Followers of one subject share their reads, and each still gets everything from where it began, in order.
import { expect, onTestFinished, test } from "vitest";
import { scratchEngine } from "../../test/support/scratch-engine.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { newId } from "../new-id.ts";

const EVENTS = 300;
const FOLLOWERS = 60;

test("whenever and wherever a follower begins, it misses nothing and hears nothing twice", async () => {
  const { database, subjects } = await scratchEngine();
  const random = seededRandom(4);
  const subject = newId();
  const heard: { from: number; seqs: number[] }[] = [];
  let written = 0;
  const write = async () => {
    await database.pool.query(
      `with made as (insert into croft.event (subject, seq, owner, type, data) values ($1, $2, 'local', 'x', '{}'))
       select croft.announce(array[$1::uuid])`,
      [subject, ++written],
    );
  };
  const follow = () => {
    const from = random.below(written + 1);
    const seqs: number[] = [];
    heard.push({ from, seqs });
    const onEvents = (rows: readonly { seq: number }[]) => {
      seqs.push(...rows.map(({ seq }) => seq));
      return true;
    };
    onTestFinished(subjects.follow(subject, from, { onEvents }));
  };
  for (let nth = 0; nth < EVENTS; nth++) {
    const writing = write();
    if (nth % (EVENTS / FOLLOWERS) === 0) follow();
    await writing;
  }
  await waitUntil("the last event", () =>
    heard.every(({ seqs, from }) => seqs.at(-1) === EVENTS || from === EVENTS),
  );
  for (const { from, seqs } of heard) {
    expect(seqs).toEqual(Array.from({ length: EVENTS - from }, (_, index) => from + index + 1));
  }
});

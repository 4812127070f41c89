// What is kept of a history is bounded, and a part of it is called a part.
import { expect, test } from "vitest";
import { gatherHistory } from "./gather-history.ts";

test("after so many changes the rest of the history is left out, and that is said", async () => {
  let read = 0;
  async function* history() {
    for (let number = 0; number < 100; number++) {
      read++;
      const commit = { committedAt: 1000 - number, author: "Ann", email: "ann@example.org" };
      yield [{ commit }, { path: Buffer.from("a") }, { path: Buffer.from(`b${number}`) }];
    }
  }
  const facts = await gatherHistory(history(), () => {}, 7);
  expect(facts).toMatchObject({ commits: 4, isCut: true, authorCount: 1 });
  expect(facts.changed[0]).toEqual({ name: "a", count: 4 });
  expect(read).toBe(4);
  expect(await gatherHistory(history(), () => {}, 200)).toMatchObject({
    commits: 100,
    isCut: false,
  });
});

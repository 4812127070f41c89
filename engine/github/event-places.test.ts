// Places of events: those that wait for GitHub leave theirs to others, up to a number and a size.
import { expect, test } from "vitest";
import { EventPlaces } from "./event-places.ts";
import type { AskGithub } from "./github-parts.ts";

const MIB = 1024 * 1024;

function scene() {
  let woken = 0;
  const places = new EventPlaces(() => {
    woken += 1;
  });
  const answers: (() => void)[] = [];
  const wait = () => new Promise<never>((resolve) => answers.push(resolve as () => void));
  const github: AskGithub = { login: wait, ask: wait };
  const answerAll = async (asked: readonly Promise<unknown>[]) => {
    for (const answer of answers.splice(0)) answer();
    await Promise.all(asked);
  };
  return { places, github, answerAll, woken: () => woken };
}

test("sixteen are worked on; whoever asks makes room for another, and comes back with its answer", async () => {
  const { places, github, answerAll, woken } = scene();
  const taken = Array.from({ length: 16 }, () => places.enter(1000));
  expect([places.room.events, places.hasRoom, woken()]).toEqual([0, false, 0]);
  const asked = taken.slice(0, 5).map((place) => place.asking(github).login());
  expect([places.room.events, woken()]).toEqual([5, 1]);
  const more = Array.from({ length: 5 }, () => places.enter(1000));
  await answerAll(asked);
  expect([places.room.events, places.hasRoom]).toEqual([-5, false]); // nobody begins until they are fewer
  for (const place of [...taken, ...more]) place.leave();
  expect(places.room).toEqual({ events: 16, bytes: 32 * MIB });
  expect(woken()).toBe(2);
});

test("256 wait for GitHub at most, with 32 MiB of payloads: others keep their places while they ask", async () => {
  const { places, github, answerAll } = scene();
  const entered = Array.from({ length: 260 }, () => places.enter(1000));
  const asked = entered.map((place) => place.asking(github).ask({ installation: 1, route: "" }));
  expect(places.room.events).toBe(12);
  await answerAll(asked);
  for (const place of entered) place.leave();
  const large = [places.enter(20 * MIB), places.enter(20 * MIB)];
  expect(places.hasRoom).toBe(false);
  const waiting = large.map((place) => place.asking(github).login());
  expect(places.room).toEqual({ events: 15, bytes: 12 * MIB });
  await answerAll(waiting);
});

test("several questions of one event at once are one place; whoever has left does not come back", async () => {
  const { places, github, answerAll } = scene();
  const place = places.enter(10);
  const own = place.asking(github);
  const asked = [own.login(), own.login(), own.ask({ installation: 1, route: "" })];
  expect(places.room.events).toBe(16);
  place.leave();
  await answerAll(asked);
  expect(places.room).toEqual({ events: 16, bytes: 32 * MIB });
});

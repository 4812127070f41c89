// A push makes watched repositories due, whatever spelling they are watched by, and no other.
import { expect, onTestFinished, test } from "vitest";
import { exampleOf } from "../../test/support/example-events.ts";
import { inboxScene } from "../../test/support/inbox-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import { InboxRunner } from "./inbox-runner.ts";

const WATCHED = [
  "https://github.com/Codertocat/Hello-World.git",
  "https://github.com/codertocat/hello-world.git",
  "ssh://git@github.com/Codertocat/Hello-World.git",
];
const OTHERS = [
  "https://github.com/Codertocat/Hello-World2.git",
  "https://example.org/Codertocat/Hello-World.git",
];

test("a push wakes every watch of its repository", async () => {
  const { engine, bring, settled, query, events } = await inboxScene();
  const dispatcher = await Dispatcher.start(engine);
  const runner = InboxRunner.start({ ...engine, dispatcher }); // without the polls: they would ask the world
  onTestFinished(async () => {
    await runner.close();
    await dispatcher.close();
  });
  const heard: unknown[] = [];
  onTestFinished(engine.listener.hear("croft_watch", (ids) => heard.push(ids)));
  await query(
    `insert into croft.repository (id, url, poll_ms, next_poll_at)
       select gen_random_uuid(), url, 60000, croft.now() + interval '1 hour' from unnest($1::text[]) as u(url)`,
    [[...WATCHED, ...OTHERS]],
  );
  await bring("push", exampleOf("push"), "push");
  await bring("issues", exampleOf("issues"), "issue");
  await settled();
  const due = await query<{ url: string }>(
    "select url from croft.repository where next_poll_at <= croft.now() order by url",
  );
  expect(due.map(({ url }) => url).sort()).toEqual([...WATCHED].sort());
  expect((await events()).map(({ event, status }) => [event, status])).toEqual([
    ["issues", "ignored"],
    ["push", "handled"],
  ]);
  await waitUntil("the poller to be told", () => heard.length > 0);
});

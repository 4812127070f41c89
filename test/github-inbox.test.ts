// The webhook of GitHub as a whole: what is signed is stored and acknowledged once, and has one effect, whatever is sent.
import type { GithubEventDetails, GithubState } from "@croft/contract";
import { pino } from "pino";
import { expect, test } from "vitest";
import { callApi } from "./support/call-api.ts";
import { exampleEvents, exampleOf } from "./support/example-events.ts";
import { inboxEngine, inboxScene } from "./support/inbox-scene.ts";
import { scratchServer } from "./support/scratch-server.ts";
import { type EventWish, sendEvent, signedEvent, WEBHOOK_SECRET } from "./support/signed-event.ts";
import { watchScene } from "./support/watch-scene.ts";

const PING = { event: "ping", payload: { zen: "Keep it logically awesome." } };
const ping = (wish: Partial<EventWish> & { deliveryId: string }) =>
  signedEvent({ ...PING, ...wish });

test("every example is acknowledged and stored once, and each that is sent twice has one effect", async () => {
  const names = [...new Set(exampleEvents().map(({ event }) => event))];
  const triggers = names.map((on) => ({ on, job: { type: "note", input: {} } }));
  const scene = await inboxScene({ triggers });
  const url = await scene.listen();
  await scene.dispatch();
  const sent = exampleEvents().flatMap(({ event, payload }, nth) => [
    signedEvent({ event, payload, deliveryId: `as-it-is-${nth}` }),
    signedEvent({
      ...{ event, payload: { ...payload, installation: { id: 1 + (nth % 5) } } },
      deliveryId: `of-an-app-${nth}`,
    }),
  ]);
  const send = async (events: typeof sent) => {
    for (let at = 0; at < events.length; at += 20) {
      const answers = await Promise.all(
        events.slice(at, at + 20).map((each) => sendEvent(url, each)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    }
  };
  await send(sent);
  await send(sent);
  await scene.settled();
  const count = async (text: string) =>
    (await scene.query<{ many: number }>(`select count(*)::integer as many from ${text}`))[0]?.many;
  expect(await count("croft.inbox")).toBe(sent.length);
  expect(await count("croft.inbox where status = 'failed'")).toBe(0);
  const ofApps = await scene.query<{ event: string; started: number }>(
    `select i.event, (select count(*)::integer from croft.inbox_effect e where e.inbox_id = i.id and e.job_id is not null) as started
     from croft.inbox i where delivery_id like 'of-an-app-%'`,
  );
  expect(ofApps.length).toBe(exampleEvents().length);
  expect(ofApps.filter(({ started }) => started > 1)).toEqual([]);
  const started = ofApps.filter((each) => each.started === 1).length;
  expect(started).toBeGreaterThan(300); // all but what bots did: of that one cannot tell whether it was Croft
  expect(await count("croft.job where type = 'note'")).toBe(
    await count("croft.inbox_effect where job_id is not null"),
  );
}, 120_000);

test("without a secret there is no such route, and the log says so", async () => {
  const engine = await inboxEngine({ flags: { "github.webhookSecret": "" } }).catch(
    () => undefined,
  );
  expect(engine).toBeUndefined(); // an empty one is no secret
  const said: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void said.push(line) });
  const { engine: with_ } = await inboxScene();
  const github = { ...with_.config.github, webhookSecret: undefined };
  const without = { ...with_, log, config: { ...with_.config, github } };
  const app = await scratchServer(without as typeof with_);
  const { headers, body } = ping({ deliveryId: "one" });
  const answer = await app.inject({ method: "POST", url: "/webhooks/github", headers, body });
  expect(answer.statusCode).toBe(404);
  expect(said.join("")).toContain("no github.webhookSecret");
});

test("while one secret takes the other's place both are valid; forms are taken, too", async () => {
  const previous = "the secret before that one";
  const scene = await inboxScene({ flags: { "github.webhookSecretPrevious": previous } });
  const url = await scene.listen();
  for (const [deliveryId, secret] of [WEBHOOK_SECRET, previous].entries()) {
    const { status } = await sendEvent(url, ping({ deliveryId: `by-${deliveryId}`, secret }));
    expect(status).toBe(202);
  }
  const { status, answer } = await sendEvent(
    url,
    ping({ deliveryId: "by-another", secret: "neither of these two" }),
  );
  expect([status, answer["code"]]).toEqual([401, "wrong-signature"]);
  const form = ping({ deliveryId: "a-form", isForm: true });
  expect((await sendEvent(url, form)).status).toBe(202);
  await scene.dispatch();
  await scene.settled();
  expect((await scene.events()).map(({ delivery_id }) => delivery_id)).toEqual([
    ...["a-form", "by-1", "by-0"],
  ]);
});

test("25 MB are taken, more is refused before it is read", async () => {
  const scene = await inboxScene();
  const url = await scene.listen();
  const limit = 25 * 1024 * 1024;
  const filled = (bytes: number) => {
    const rest = JSON.stringify({ text: "" }).length;
    return ping({ payload: { text: "x".repeat(bytes - rest) }, deliveryId: `of-${bytes}` });
  };
  expect((await sendEvent(url, filled(limit))).status).toBe(202);
  const { status, answer } = await sendEvent(url, filled(limit + 1));
  expect([status, answer["code"]]).toEqual([413, "too-large"]);
  expect(await scene.query("select octet_length(body) as bytes from croft.inbox")).toEqual([
    { bytes: limit },
  ]);
});

test("admins see what came and what it started, and replay it", async () => {
  const triggers = [{ on: "issues", job: { type: "note", input: {} } }];
  const scene = await inboxScene({ triggers });
  const url = await scene.listen();
  await scene.dispatch();
  const payload = { ...exampleOf("issues", "opened"), installation: { id: 42 } };
  const sent = await sendEvent(url, signedEvent({ event: "issues", payload, deliveryId: "one" }));
  await scene.settled();
  const server = { url, token: scene.engine.localToken };
  const path = `/api/github/events/${sent.answer["id"]}`;
  const seen = await callApi<GithubEventDetails>(server, "GET", path);
  expect(seen).toMatchObject({ status: "handled", installation: 42, action: "opened", payload });
  expect(seen.effects).toMatchObject([{ trigger: "trigger:job:note", replay: 0 }]);
  await callApi(server, "POST", `${path}/replay`);
  await scene.settled();
  const again = await callApi<GithubEventDetails>(server, "GET", path);
  expect(again.effects.map(({ replay }) => replay)).toEqual([0, 1]);
  expect(again.effects[0]?.job).not.toBe(again.effects[1]?.job);
  const state = await callApi<GithubState>(server, "GET", "/api/github");
  expect(state).toMatchObject({
    ...{ takes_events: true, app_id: null, installations: 1, pending: 0, failed: 0 },
    ...{ handled_last_day: 1, ignored_last_day: 0 },
  });
  const query = "installation=42&event=issues&status=handled&limit=1";
  expect(await callApi(server, "GET", `/api/github/events?${query}`)).toMatchObject({
    ...{ events: [{ id: seen.id }], next_cursor: null },
  });
  expect(await callApi(server, "GET", "/api/github/events?status=failed")).toMatchObject({
    events: [],
  });
  expect(await callApi(server, "GET", "/api/github/installations/42")).toMatchObject({
    ...{ account: "Codertocat", last_events: [{ id: seen.id }], last_failures: [] },
  });
});

test("a push tells the apps that watch, without waiting for the next poll", async () => {
  const { engine, url, watch, inBare } = await watchScene({
    ...{ "watches.poll": "1h", "github.webhookSecret": WEBHOOK_SECRET },
  });
  const app = await watch();
  await app.told(await commitOf(inBare));
  const tree = (await inBare("rev-parse", "main^{tree}")).trim();
  const author = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  const next = await inBare(...author, "commit-tree", "-p", "main", "-m", "next", tree);
  await inBare("update-ref", "refs/heads/main", next.trim());
  const server = await scratchServer(engine);
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  const repository = { id: 1, full_name: "o/docs", clone_url: url.replace(/\.git$/, "") };
  const push = signedEvent({ event: "push", payload: { repository }, deliveryId: "push" });
  expect((await sendEvent(address, push)).status).toBe(202);
  await app.told(await commitOf(inBare));
});

async function commitOf(inBare: (...args: string[]) => Promise<string>) {
  return (await inBare("rev-parse", "main")).trim() as Parameters<
    Awaited<ReturnType<Awaited<ReturnType<typeof watchScene>>["watch"]>>["told"]
  >[0];
}

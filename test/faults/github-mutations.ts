// Thousands of requests to the webhook that GitHub would never make: each is refused as it should be, and the server lives.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import type { GithubState } from "@croft/contract";
import { callApi } from "../support/call-api.ts";
import { type RunningServer, startServer } from "../support/croft-process.ts";
import { exampleEvents } from "../support/example-events.ts";
import { type SeededRandom, seededRandom } from "../support/seeded-random.ts";
import {
  type SignedEvent,
  signatureOf,
  signedEvent,
  WEBHOOK_SECRET,
} from "../support/signed-event.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

const AT_ONCE = 8;

/** Changes a good request so that it must be refused. */
type Mutation = (good: SignedEvent, random: SeededRandom) => SignedEvent;

export async function mutateEvents(options: FaultOptions): Promise<FaultResult> {
  const { seed, count, directory } = options;
  const random = seededRandom(seed);
  const env = { CROFT_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET };
  const server = await startServer(join(directory, "data"), { env });
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  let injected = 0;
  try {
    const examples = exampleEvents();
    while (injected < count && failures.length === 0) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - injected) }, () => {
        const example = examples[random.below(examples.length)];
        const good = signedEvent({
          ...{ event: example?.event ?? "", payload: example?.payload ?? {} },
          deliveryId: randomUUID(),
        });
        const [name, mutate] = MUTATIONS[random.below(MUTATIONS.length)] ?? ["", (same) => same];
        return { name, sent: mutate(good, random) };
      });
      injected += batch.length;
      await Promise.all(
        batch.map(async ({ name, sent }) => {
          const status = await post(server, sent);
          figures[`s${status}`] = (figures[`s${status}`] ?? 0) + 1;
          if (status < 400 || status > 499) failures.push(`${name}: answered ${status}`);
        }),
      );
    }
    const { last_received_at: stored } = await callApi<GithubState>(server, "GET", "/api/github");
    if (stored !== null) failures.push("one of them was stored");
    const good = signedEvent({ event: "ping", payload: {}, deliveryId: randomUUID() });
    const status = await post(server, good);
    if (status !== 202) failures.push(`a good one is answered ${status} afterwards`);
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const code = await server.stop();
  if (code !== 0) failures.push(`the server ended with ${code}: ${server.output().slice(-2000)}`);
  return { injected, figures, failures: failures.slice(0, 20) };
}

/** With the right signature, or it would not be looked at. */
function resigned({ headers }: SignedEvent, body: Buffer): SignedEvent {
  return { body, headers: { ...headers, "x-hub-signature-256": signatureOf(body) } };
}

function withHeader(name: string, ...values: readonly (string | undefined)[]): Mutation {
  return ({ headers, body }, random) => {
    const { [name]: _, ...rest } = headers;
    const value = values[random.below(values.length)];
    return { body, headers: value === undefined ? rest : { ...rest, [name]: value } };
  };
}

const MUTATIONS: readonly (readonly [string, Mutation])[] = [
  [
    "a bit of the body",
    ({ headers, body }, random) => {
      const changed = Buffer.from(body);
      const at = random.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
      return { headers, body: changed };
    },
  ],
  [
    "a part of the body",
    ({ headers, body }, random) => ({ headers, body: body.subarray(0, random.below(body.length)) }),
  ],
  [
    "more than the body",
    ({ headers, body }) => ({ headers, body: Buffer.concat([body, Buffer.from(" ")]) }),
  ],
  [
    "a digit of the signature",
    ({ headers, body }, random) => {
      const signature = headers["x-hub-signature-256"] ?? "";
      const at = 7 + random.below(64);
      const digit = ((Number.parseInt(signature[at] ?? "0", 16) + 1) % 16).toString(16);
      const changed = signature.slice(0, at) + digit + signature.slice(at + 1);
      return { body, headers: { ...headers, "x-hub-signature-256": changed } };
    },
  ],
  [
    "another secret",
    ({ headers, body }) => ({
      body,
      headers: { ...headers, "x-hub-signature-256": signatureOf(body, "another secret here") },
    }),
  ],
  [
    "an odd signature",
    withHeader(
      "x-hub-signature-256",
      ...[undefined, "", "sha256=", "sha1=00", "x".repeat(5000), `sha256=${"0".repeat(64)}`],
      ...[`sha256=${"g".repeat(64)}`, `sha256=${"0".repeat(63)}`, `${"0".repeat(64)}`, "\u00e9"],
    ),
  ],
  [
    "an odd delivery id",
    withHeader("x-github-delivery", ...[undefined, "", "a b", "x".repeat(101), "a/b", "a,b", "é"]),
  ],
  [
    "an odd event",
    withHeader("x-github-event", ...[undefined, "", "Push", "a b", "x".repeat(101), "../x", "é"]),
  ],
  [
    "another media type",
    withHeader("content-type", ...[undefined, "text/plain", "application/xml", "json", ";", "é"]),
  ],
  [
    "signed half",
    (good, random) => resigned(good, good.body.subarray(0, random.below(good.body.length))),
  ],
  [
    "signed bytes",
    (good, random) => {
      const bytes = Array.from({ length: 1 + random.below(500) }, () => random.below(256));
      return resigned(good, Buffer.from([0xff, ...bytes]));
    },
  ],
  [
    "signed JSON that is no object",
    (good, random) => {
      const texts = [
        "[]",
        "null",
        "3",
        '"x"',
        "{}{}",
        "",
        "[".repeat(5000),
        '{"a":NaN}',
        "{'a':1}",
      ];
      return resigned(good, Buffer.from(texts[random.below(texts.length)] ?? ""));
    },
  ],
  [
    "JSON as a form",
    ({ headers, body }) => ({
      body,
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    }),
  ],
];

/** Headers as they are, whatever is in them; a connection each. */
async function post({ url }: RunningServer, { headers, body }: SignedEvent): Promise<number> {
  const sent = request(`${url}/webhooks/github`, {
    ...{ method: "POST", agent: false },
    headers: { ...headers, "content-length": body.length },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode ?? 0;
}

// Where GitHub sends events: the signature is looked at before anything else, and what is stored is acknowledged.
import type { IncomingHttpHeaders } from "node:http";
import { ReceivedGithubEvent } from "@croft/contract";
import {
  type Engine,
  EngineError,
  EventIntake,
  isSigned,
  signatureOf,
  webhookSecrets,
} from "@croft/engine";
import type { App } from "../app.ts";
import { BodyReceiver } from "../receive-body.ts";

const MEBIBYTE = 1024 * 1024;
/** GitHub sends nothing larger. */
const BODY_BYTES_MAX = 25 * MEBIBYTE;
const ALL_BYTES_MAX = 128 * MEBIBYTE;
/** GitHub's are GUIDs, those of its relatives are other words. */
const DELIVERY_ID = /^[\w.-]{1,100}$/;
const EVENT_NAME = /^[a-z][a-z0-9_]{0,99}$/;
const MEDIA_TYPE = /^\s*application\/(json|x-www-form-urlencoded)\s*(?:;|$)/i;

/** In a scope of its own: here bodies are not parsed, whatever they say that they are. Without a secret there is no such route. */
export function githubWebhookRoute(app: App, engine: Engine): void {
  const secrets = webhookSecrets(engine.config);
  if (secrets.length === 0) {
    engine.log.info({}, "no events of GitHub are taken: there is no github.webhookSecret");
    return;
  }
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
    webhookRoute(scope, engine, secrets);
  });
}

function webhookRoute(app: App, { database }: Engine, secrets: readonly string[]): void {
  const intake = new EventIntake(database);
  const limits = { bodyBytesMax: BODY_BYTES_MAX, allBytesMax: ALL_BYTES_MAX };
  const bodies = new BodyReceiver(limits);
  app.post(
    "/webhooks/github",
    {
      config: { access: "public" }, // whoever has the secret
      schema: { hide: true, response: { 202: ReceivedGithubEvent } },
    },
    async ({ raw, headers }, reply) => {
      const signature = signatureOf(headers["x-hub-signature-256"]);
      if (signature === undefined) throw wrongSignature();
      const received = await bodies.receive(raw, async (body) => {
        if (!isSigned(body, signature, secrets)) throw wrongSignature();
        return await intake.receive({ ...describedBy(headers), body });
      });
      return await reply.code(202).send(received);
    },
  );
}

function describedBy(headers: IncomingHttpHeaders) {
  const deliveryId = headers["x-github-delivery"];
  if (typeof deliveryId !== "string" || !DELIVERY_ID.test(deliveryId)) {
    throw new EngineError("bad-request", "the header X-GitHub-Delivery is missing or not an id");
  }
  const name = headers["x-github-event"];
  if (typeof name !== "string" || !EVENT_NAME.test(name)) {
    throw new EngineError("bad-request", "the header X-GitHub-Event is missing or not a name");
  }
  const type = MEDIA_TYPE.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase();
  if (type === undefined) {
    const way = "send application/json, or application/x-www-form-urlencoded with 'payload'";
    throw new EngineError("unsupported-media-type", way);
  }
  return { deliveryId, name, isForm: type !== "json" };
}

function wrongSignature(): EngineError {
  return new EngineError("wrong-signature", "X-Hub-Signature-256 does not fit the body");
}

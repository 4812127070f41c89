// What a fake GitHub tells an App of itself: who it is, its installations and tokens, its deliveries.
import { createHmac } from "node:crypto";
import { giveToken } from "./fake-github-auth.ts";
import { notFound } from "./fake-github-error.ts";
import { type Asked, pageOf, type Route, requireApp, requireToken } from "./fake-github-router.ts";
import { deliveryJson, installationJson, type Json, repositoryJson } from "./fake-github-shapes.ts";
import type { FakeDelivery, FakeInstallation, FakeState } from "./fake-github-state.ts";

export const APP_ROUTES: readonly Route[] = [
  ["GET /app", showApp],
  ["GET /app/hook/config", showHook],
  ["GET /app/hook/deliveries", listDeliveries],
  ["POST /app/hook/deliveries/:id/attempts", redeliver],
  ["GET /app/installations", listInstallations],
  ["GET /app/installations/:id", showInstallation],
  ["POST /app/installations/:id/access_tokens", makeToken],
  ["GET /installation/repositories", listRepositories],
  ["GET /rate_limit", showRateLimit],
  ["GET /meta", () => ({ body: { hooks: ["127.0.0.0/8"], web: [], api: [] } })],
];

function showApp(asked: Asked) {
  requireApp(asked);
  const { state, webUrl } = asked;
  const { appId: id, slug, permissions, events } = state;
  const html_url = `${webUrl}/apps/${slug}`;
  const installations_count = state.installations.length;
  const body = { id, slug, name: "Croft", permissions, events, html_url, installations_count };
  return { body: { ...body, owner: { login: "owner" } } };
}

function showHook(asked: Asked) {
  requireApp(asked);
  const url = asked.state.webhookUrl ?? "";
  return { body: { url, content_type: "json", insecure_ssl: "0", secret: "********" } };
}

/** The newest first; the cursor is the id of the last that was shown. */
function listDeliveries(asked: Asked) {
  requireApp(asked);
  const { state, query, address } = asked;
  const size = Math.min(Number(query.get("per_page") ?? 30), 100);
  const cursor = query.get("cursor");
  const before = cursor === null ? Number.POSITIVE_INFINITY : Number(cursor.replace("v1_", ""));
  const older = state.deliveries.filter(({ id }) => id < before).toSorted((a, b) => b.id - a.id);
  const shown = older.slice(0, size);
  const next = new URL(address);
  next.searchParams.set("cursor", `v1_${shown.at(-1)?.id}`);
  const headers: Record<string, string> =
    older.length > size ? { link: `<${next}>; rel="next"` } : {};
  return { body: shown.map(deliveryJson), headers };
}

function redeliver(asked: Asked) {
  requireApp(asked);
  const { state, path } = asked;
  const delivery = state.deliveries.find(({ id }) => id === Number(path["id"]));
  if (delivery === undefined) throw notFound();
  state.inBackground(sendDelivery(state, { ...delivery, redelivery: true }, state.webhookUrl));
  return { status: 202, body: {} };
}

export interface Sending {
  readonly guid: string;
  readonly event: string;
  readonly payload: Json;
  readonly redelivery: boolean;
  /** Instead of what it really is. */
  readonly signature?: string | undefined;
}

/** To a Croft, as GitHub does; what became of it is in the list of deliveries. Undefined when nobody answered. */
export async function sendDelivery(
  state: FakeState,
  { guid, event, payload, redelivery, signature }: Sending,
  url: string | undefined,
): Promise<Response | undefined> {
  const body = JSON.stringify(payload);
  const sent =
    url === undefined
      ? undefined
      : await fetch(url, {
          method: "POST",
          body,
          headers: {
            "content-type": "application/json",
            "user-agent": "GitHub-Hookshot/fake",
            "x-github-delivery": guid,
            "x-github-event": event,
            "x-github-hook-installation-target-id": String(state.appId),
            "x-github-hook-installation-target-type": "integration",
            "x-hub-signature-256": signature ?? signBody(state.webhookSecret, body),
          },
        }).catch(() => undefined);
  const delivery: FakeDelivery = {
    ...{ id: state.nextId(), guid, event, payload, redelivery },
    deliveredAt: state.now(),
    statusCode: sent?.status ?? 0,
  };
  state.deliveries.push(delivery);
  return sent;
}

export function signBody(secret: string, body: string | Buffer): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function listInstallations(asked: Asked) {
  requireApp(asked);
  const { items, headers } = pageOf(asked, asked.state.installations);
  return { body: items.map((one) => installationJson(asked.state, one)), headers };
}

function findInstallation(asked: Asked): FakeInstallation {
  requireApp(asked);
  const found = asked.state.installations.find(({ id }) => id === Number(asked.path["id"]));
  if (found === undefined) throw notFound();
  return found;
}

function showInstallation(asked: Asked) {
  return { body: installationJson(asked.state, findInstallation(asked)) };
}

function makeToken(asked: Asked) {
  const { state, body, webUrl } = asked;
  const made = giveToken(state, findInstallation(asked), body);
  return {
    status: 201,
    body: {
      token: made.token,
      expires_at: new Date(made.expiresAt).toISOString().replace(/\.\d+Z$/, "Z"),
      permissions: made.permissions,
      repository_selection: made.repositories === undefined ? "all" : "selected",
      ...(made.repositories === undefined
        ? {}
        : { repositories: made.repositories.map((one) => repositoryJson(one, webUrl)) }),
    },
  };
}

function listRepositories(asked: Asked) {
  const { installation, repositories } = requireToken(asked);
  const all =
    repositories ?? asked.state.repositories.filter((known) => known.installation === installation);
  const { items, headers } = pageOf(asked, all);
  const shown = items.map((one) => repositoryJson(one, asked.webUrl));
  return { body: { total_count: all.length, repositories: shown }, headers };
}

function showRateLimit(asked: Asked) {
  const { limit, remaining, resetAt } = requireToken(asked).installation.rateLimit;
  const core = { limit, remaining, used: limit - remaining, reset: Math.ceil(resetAt / 1000) };
  return { body: { resources: { core }, rate: core } };
}

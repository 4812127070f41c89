// Apps, watches and deliveries in all their states, for pages that are looked at.
import type { ServerResponse } from "node:http";
import { callApi } from "./call-api.ts";
import type { AppsDashboard } from "./dashboard-apps.ts";
import type { ReceivedMessage, Reply } from "./serve-webhooks.ts";
import { waitUntil } from "./wait-until.ts";

const DAY_MS = 86_400_000;

/** By the path that a message was sent to: one app of each kind. */
function answer({ body }: ReceivedMessage, { req }: ServerResponse): Reply {
  const hasPoison = body.data.files?.some(({ path }) => path === "poison.md");
  if (req.url === "/busy") {
    return { status: 503, headers: { "retry-after": "3600" }, body: "the index is being rebuilt" };
  }
  if (req.url === "/gone") return { status: 410 };
  if (req.url === "/broken") {
    return { status: 500, body: '{"error":"no space left on device","path":"/var/lib/search"}' };
  }
  return hasPoison ? { status: 422, body: "poison.md: not a page" } : { status: 204 };
}

/** Returns the pages to look at, by a name for each. */
export async function tellStory(scene: AppsDashboard): Promise<Record<string, string>> {
  const { server, receiver, push, onboard, watch } = scene;
  receiver.answer = answer;
  const at = (path: string) => receiver.url.replace(/\/hook$/, path);
  const docs = await onboard("docs-site", {
    description: "Renders the handbook.\nAsk #docs before you rotate its keys.",
  });
  const broken = await onboard("search-index", { base_url: at("/broken") });
  const busy = await onboard("link-checker", { base_url: at("/busy") });
  const gone = await onboard("old-mirror", { base_url: at("/gone") });
  const paused = await onboard("archive", {});
  await onboard("reporter", { base_url: null });
  await onboard(`${"a-very-long-name-".repeat(5)}end`, {
    base_url: at(`/${"long-path/".repeat(12)}`),
    description: "long description ".repeat(40),
  });
  const main = await watch(docs.id, { ref: "main" });
  await scene.told(main.id);
  await push("git push -q origin HEAD:release; echo x > x.md");
  const release = await watch(docs.id, {
    ref: "release",
    include: ["docs/**", "src/**"],
    exclude: ["**/*.png"],
    poll: 5,
  });
  for (const app of [broken, busy, gone]) await watch(app.id);
  await callApi(server, "PATCH", `/api/apps/${paused.id}`, { paused: true });
  await watch(paused.id);
  await push(
    "mkdir -p docs; for n in 1 2 3 4 5 6 7; do echo page $n > docs/page-$n.md; done; echo bad > poison.md; git rm -q x.md",
  );
  await push("git push -q origin :release; echo more > more.md");
  await callApi(server, "POST", `/api/apps/${docs.id}/rotate-token`, { old_valid_ms: DAY_MS });
  await giveCredentials(scene, docs.id);
  // One that was tried: others of the same app wait for it.
  const one = async (query: string) =>
    await waitUntil(`a delivery with ${query}`, async () => {
      return (await scene.deliveries(query)).find(({ attempt }) => attempt > 0)?.id;
    });
  await waitUntil("a watch that fails", async () => {
    const path = `/api/repositories/${release.id}`;
    return (await callApi<{ state: string }>(server, "GET", path)).state === "failing";
  });
  const [failed, quarantined, split, pending, delivered] = [
    await one(`state=failed&app=${broken.id}`),
    await one(`state=quarantined&app=${docs.id}`),
    await one(`state=split&app=${docs.id}`),
    await one(`state=pending&app=${busy.id}`),
    await one(`state=delivered&app=${docs.id}`),
  ];
  return {
    ...{ apps: "/apps", "apps-none": "/apps?search=nothing", "app-new": "/apps/new" },
    "app-good": `/apps/${docs.id}`,
    "app-failing": `/apps/${broken.id}`,
    "app-resting": `/apps/${busy.id}`,
    "app-gone": `/apps/${gone.id}`,
    "app-paused": `/apps/${paused.id}`,
    ...{ repositories: "/repositories", deliveries: "/deliveries", overview: "/" },
    "repositories-none": "/repositories?search=nothing",
    "repository-synced": `/repositories/${main.id}`,
    "repository-failing": `/repositories/${release.id}`,
    "deliveries-none": "/deliveries?state=cancelled",
    "delivery-failed": `/deliveries/${failed}`,
    "delivery-quarantined": `/deliveries/${quarantined}`,
    "delivery-split": `/deliveries/${split}`,
    "delivery-pending": `/deliveries/${pending}`,
    "delivery-delivered": `/deliveries/${delivered}`,
  };
}

/** One that expires soon, one that has, one that never does. */
async function giveCredentials({ server }: AppsDashboard, app: string): Promise<void> {
  const credential = { app, kind: "token", value: "secret" };
  const soon = new Date(Date.now() + 5 * DAY_MS).toISOString();
  for (const each of [
    { url: "https://github.com/example", expires_at: soon },
    { url: "https://gitlab.example.com", expires_at: "2020-01-01T00:00:00Z" },
    { url: "https://code.example.com/handbook/site.git" },
  ]) {
    await callApi(server, "POST", "/api/credentials", { ...credential, ...each });
  }
}

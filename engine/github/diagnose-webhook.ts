// Whether GitHub sends events to this Croft, signed with the secret that it knows, and what became of the last ones.
import { type Check, checkNamed } from "@croft/git";
import type { Config } from "../config/config.ts";
import { answered } from "./answered.ts";
import type { GithubApp } from "./github-app.ts";

interface HookConfig {
  readonly url?: string;
  readonly insecure_ssl?: string | number;
}

interface ListedDelivery {
  readonly status_code: number;
  readonly delivered_at: string;
}

const PATH = "/webhooks/github";
const LOOKED_AT = 30;
const WRONG_SIGNATURE = 401;

export async function diagnoseWebhook(
  { github, config }: { readonly github: GithubApp; readonly config: Config },
  signal: AbortSignal | undefined,
): Promise<Check[]> {
  const asked = await answered("webhook", () =>
    github.askAsApp<HookConfig>("GET /app/hook/config", {}, signal),
  );
  const hook = "check" in asked ? asked.check : hookCheck(asked.found, config);
  const listed = await answered("deliveries", () =>
    github.askAsApp<ListedDelivery[]>("GET /app/hook/deliveries", { per_page: LOOKED_AT }, signal),
  );
  return [hook, "check" in listed ? listed.check : deliveriesCheck(listed.found)];
}

function hookCheck({ url = "", insecure_ssl }: HookConfig, { github, http }: Config): Check {
  const named = checkNamed("webhook");
  if (github.webhookSecret === undefined) {
    const advice = "set github.webhookSecret to the secret of the App's webhook";
    return named.failed("no events are taken: github.webhookSecret is not set", advice);
  }
  const expected = http.publicUrl === undefined ? undefined : new URL(PATH, http.publicUrl).href;
  const advice = `set the App's webhook URL to ${expected ?? `https://<this Croft>${PATH}`}`;
  if (url === "") return named.failed("the App has no webhook URL", advice);
  const path = URL.canParse(url) ? new URL(url).pathname : "";
  if (!path.endsWith(PATH)) return named.failed(`events go to '${url}', not to ${PATH}`, advice);
  if (expected !== undefined && expected !== url) {
    return named.warning(`events go to '${url}'; http.publicUrl says ${expected}`, advice);
  }
  if (String(insecure_ssl ?? "0") !== "0") {
    return named.warning(`'${url}', whose certificate is not checked`, "let GitHub verify it");
  }
  return named.ok(`'${url}'`);
}

function deliveriesCheck(listed: readonly ListedDelivery[]): Check {
  const named = checkNamed("deliveries");
  if (listed.length === 0) return named.ok("none so far");
  const failed = listed.filter(({ status_code }) => status_code < 200 || status_code > 299);
  const [last] = failed;
  if (last === undefined) return named.ok(`the last ${listed.length} were taken`);
  const status = last.status_code === 0 ? "without an answer" : `with ${last.status_code}`;
  const detail = `of the last ${listed.length} ${failed.length} failed, the newest ${status} at ${last.delivered_at}`;
  const advice =
    last.status_code === WRONG_SIGNATURE
      ? "the App's webhook secret and github.webhookSecret differ"
      : "Croft asks for them again; if they go on failing, GitHub cannot reach it";
  return named.warning(detail, advice);
}

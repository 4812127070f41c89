// Whether the GitHub App works, found out by asking GitHub: its key, what it is allowed, its webhook, its installations.
import type { GithubCheck, GithubDiagnosis } from "@croft/contract";
import { type Check, checkNamed } from "@croft/git";
import type { Engine } from "../engine.ts";
import { answered } from "./answered.ts";
import { diagnoseInstallation, type FoundInstallation } from "./diagnose-installation.ts";
import { diagnoseWebhook } from "./diagnose-webhook.ts";
import type { GithubApp } from "./github-app.ts";
import { missingEvents, missingPermissions } from "./needed-access.ts";
import type { Permissions } from "./route-permissions.ts";

export interface FoundApp {
  readonly name: string;
  readonly slug: string;
  readonly html_url: string;
  readonly owner?: { readonly login?: string } | null;
  readonly permissions: Permissions;
  readonly events: readonly string[];
}

/** More would take minutes; the rest is told as a number. */
const INSTALLATIONS_MAX = 50;
const AT_ONCE = 5;
/** A word of the App's is taken when it is half a minute of the future. */
const SKEW_MS_MAX = 30_000;

export async function diagnoseGithub(
  { github, config }: Pick<Engine, "github" | "config">,
  signal?: AbortSignal,
): Promise<GithubDiagnosis> {
  if (github === undefined) {
    const advice = "set github.appId and github.privateKey, then start Croft again";
    return diagnosisOf([checkNamed("app").failed("no GitHub App is configured", advice)]);
  }
  const app = await answered("app", () => github.askAsApp<FoundApp>("GET /app", {}, signal));
  if ("check" in app) return diagnosisOf([{ ...app.check, advice: app.check.advice ?? WRONG_KEY }]);
  const checks = [
    ...[appCheck(app.found), clockCheck(github)],
    ...[permissionsCheck(app.found), eventsCheck(app.found)],
    ...(await diagnoseWebhook({ github, config }, signal)),
    ...(await installationChecks(github, app.found, signal)),
  ];
  return diagnosisOf(checks);
}

const WRONG_KEY =
  "github.appId and github.privateKey must be of one App: its settings page shows the id and makes keys";

function appCheck({ name, slug, owner }: FoundApp): Check {
  const whose = owner?.login === undefined ? "" : ` of ${owner.login}`;
  return checkNamed("app").ok(`'${name}'${whose}, as ${slug}[bot]; the key signs for it`);
}

function clockCheck({ skewMs }: GithubApp): Check {
  const named = checkNamed("clock");
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (seconds === 0) return named.ok("the same as GitHub's");
  const detail = `${seconds} s ${skewMs > 0 ? "behind" : "ahead of"} GitHub's, which is allowed for`;
  return Math.abs(skewMs) > SKEW_MS_MAX
    ? named.warning(detail, "set this machine's clock (NTP)")
    : named.ok(detail);
}

function permissionsCheck({ permissions, html_url }: FoundApp): Check {
  const named = checkNamed("permissions");
  const missing = missingPermissions(permissions);
  if (missing.length === 0) return named.ok("all that Croft needs");
  const advice = `give the App these at its settings (${html_url}), and accept them at each installation`;
  return named.failed(`missing: ${missing.join(", ")}`, advice);
}

function eventsCheck({ events, html_url }: FoundApp): Check {
  const named = checkNamed("events");
  const missing = missingEvents(events);
  if (missing.length === 0) return named.ok("all that Croft can use");
  const advice = `subscribe the App to them at its settings (${html_url}), where pipelines are to start by them`;
  return named.warning(`not sent: ${missing.join(", ")}`, advice);
}

async function installationChecks(
  github: GithubApp,
  { html_url }: FoundApp,
  signal: AbortSignal | undefined,
): Promise<Check[]> {
  const named = checkNamed("installations");
  const found: FoundInstallation[] = [];
  const listed = await answered("installations", async () => {
    const pages = github.pagesAsApp<FoundInstallation[]>(
      "GET /app/installations",
      { per_page: 100 },
      signal,
    );
    for await (const page of pages) found.push(...page);
  });
  if ("check" in listed) return [listed.check];
  if (found.length === 0) {
    return [named.warning("nobody has installed the App", `${html_url}/installations/new`)];
  }
  const checks: Check[] = [named.ok(String(found.length))];
  const looked = found.slice(0, INSTALLATIONS_MAX);
  for (let at = 0; at < looked.length; at += AT_ONCE) {
    const some = looked.slice(at, at + AT_ONCE);
    checks.push(
      ...(await Promise.all(some.map((each) => diagnoseInstallation(github, each, signal)))),
    );
  }
  return checks;
}

function diagnosisOf(checks: readonly Check[]): GithubDiagnosis {
  return {
    ok: checks.every(({ outcome }) => outcome !== "failed"),
    checks: checks.map((check): GithubCheck => ({ ...check, advice: check.advice ?? null })),
  };
}

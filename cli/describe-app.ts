// Apps in words: one a line, one with all there is, and what would go with one.
import type { App, AppDeletion, AppDetail } from "@croft/contract";
import { plainText } from "./terminal-text.ts";

/** Divided by tabs: id, name, state, watches, address. */
export function appLines(apps: readonly App[]): string {
  return apps
    .map((app) => [app.id, app.name, stateOf(app), String(app.watches), app.base_url ?? "-"])
    .map((cells) => `${cells.map(plainText).join("\t")}\n`)
    .join("");
}

export function describeApp(app: AppDetail): string {
  const keysOf = (keys: AppDetail["tokens"]) =>
    keys.map(({ id, expires_at }) => (expires_at === null ? id : `${id} until ${expires_at}`));
  return rowsOf([
    ["id", app.id],
    ["name", app.name],
    ["description", app.description],
    ["state", stateOf(app)],
    ["address", app.base_url ?? ""],
    ["e-mail", app.email ?? ""],
    ["watches", String(app.watches)],
    [
      "deliveries",
      `${many(app.pending_deliveries)} pending, ${many(app.failed_deliveries)} failed`,
    ],
    ["open", `${app.open_jobs} jobs, ${app.open_runs} runs`],
    ["tokens", keysOf(app.tokens).join(", ")],
    ["signed with", keysOf(app.signing_secrets).join(", ")],
    ["created", app.created_at],
  ]);
}

/** What is not there is not told. */
export function describeDeletion(going: AppDeletion): string {
  const count = (number: number, what: string) => (number === 0 ? [] : [`${number} ${what}`]);
  const lines = [
    ...count(going.watches, "watches"),
    ...count(going.repositories, "repositories that nobody else watches"),
    ...count(going.deliveries, `deliveries, ${going.undelivered} of them not delivered yet`),
    ...count(going.credentials, "credentials"),
    ...count(going.secrets, "secrets"),
    ...count(going.schedules, "schedules"),
    ...count(going.pipelines, "stored pipelines"),
    ...count(going.open_jobs, "jobs that wait or run, which are cancelled"),
    ...count(going.ended_jobs, "jobs that have ended"),
    ...count(going.open_runs, "runs that wait or run, which are cancelled"),
    ...count(going.ended_runs, "runs that have ended"),
    ...count(going.assets, `assets of ${going.asset_bytes} bytes`),
  ];
  return `With the app '${plainText(going.name)}' go its tokens${lines.length === 0 ? "" : ", and"}\n${lines
    .map((line) => `  ${line}\n`)
    .join("")}`;
}

export function rowsOf(rows: readonly (readonly [string, string])[]): string {
  const shown = rows.filter(([, value]) => value !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${plainText(value)}\n`).join("");
}

function stateOf({ paused, endpoint, base_url }: App): string {
  if (paused) return "paused";
  if (base_url === null) return "only asks";
  if (endpoint.state === "gone") return "address gone";
  return endpoint.state === "closed" ? `not sent to until ${endpoint.closed_until}` : "active";
}

function many(count: number): string {
  return count > 1000 ? "1,000+" : String(count);
}

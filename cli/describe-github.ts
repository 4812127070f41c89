// Events of GitHub and installations in words: one a line, and one with what it started.
import type { GithubEvent, GithubEventDetails, GithubInstallation } from "@croft/contract";
import { rowsOf } from "./describe-app.ts";
import { ageOf } from "./job-table.ts";
import { plainTable } from "./plain-table.ts";
import { plainText } from "./terminal-text.ts";

const EVENT_HEADINGS = ["ID", "STATUS", "EVENT", "AGE", "INSTALLATION", "ABOUT", ""] as const;
const INSTALLATION_HEADINGS = [
  ...["ID", "ACCOUNT", "REPOSITORIES", "PENDING", "FAILED", "LAST EVENT", ""],
] as const;

/** With tabs: id, status, event, when it came, installation, what it is about, and what there is to say. */
export function eventTable(
  events: readonly GithubEvent[],
  isTTY: boolean = process.stdout.isTTY === true,
  now = Date.now(),
): string {
  const rows = events.map((event) => [
    ...[event.id, event.status, nameOf(event)],
    isTTY ? ageOf(event.received_at, now) : event.received_at,
    ...[event.installation === null ? "-" : String(event.installation), aboutOf(event)],
    event.error?.message ?? "",
  ]);
  return plainTable(EVENT_HEADINGS, rows, { isTTY });
}

export function describeEvent(event: GithubEventDetails): string {
  const { error, effects } = event;
  const facts = rowsOf([
    ["id", event.id],
    ["delivery", event.delivery_id],
    ["event", nameOf(event)],
    ["status", event.status],
    ["error", error === null ? "" : `${error.message} (${error.code})`],
    ["installation", event.installation === null ? "" : String(event.installation)],
    ["about", aboutOf(event)],
    ["sender", event.sender ?? ""],
    ["received", event.received_at],
    ["tried next", event.due_at ?? ""],
    ["settled", event.settled_at ?? ""],
    ["replayed", event.replay === 0 ? "" : `${event.replay} times`],
  ]);
  const started = effects.map(({ trigger, job, run, problem }) => {
    const what = job === null ? `run ${run ?? "-"}` : `job ${job}`;
    const isNothing = job === null && run === null;
    return `${plainText(trigger)}\t${isNothing ? plainText(problem ?? "done") : what}\n`;
  });
  return [facts, ...started].join("");
}

export function installationTable(
  installations: readonly GithubInstallation[],
  isTTY: boolean = process.stdout.isTTY === true,
  now = Date.now(),
): string {
  const rows = installations.map((each) => [
    ...[String(each.id), each.account ?? "-"],
    ...[each.repositories, each.pending, each.failed].map(String),
    lastOf(each, isTTY, now),
    stateOf(each),
  ]);
  return plainTable(INSTALLATION_HEADINGS, rows, { isTTY });
}

function lastOf({ last_received_at: at }: GithubInstallation, isTTY: boolean, now: number): string {
  if (at === null) return "-";
  return isTTY ? ageOf(at, now) : at;
}

function stateOf({ deleted_at, suspended_at }: GithubInstallation): string {
  if (deleted_at !== null) return "removed";
  return suspended_at === null ? "" : "suspended";
}

function nameOf({ event, action }: GithubEvent): string {
  return action === null ? event : `${event}.${action}`;
}

function aboutOf({ repository, pull_request }: GithubEvent): string {
  if (repository === null) return "-";
  return pull_request === null ? repository : `${repository}#${pull_request}`;
}

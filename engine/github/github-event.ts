// One event that GitHub sent: what its headers and payload say, read from the bytes as they came.
import { EngineError } from "../engine-error.ts";

export interface GithubEvent {
  readonly id: string;
  /** Order of arrival. */
  readonly place: number;
  /** X-GitHub-Delivery: the same when GitHub sends it again. */
  readonly deliveryId: string;
  /** X-GitHub-Event: `pull_request`. */
  readonly name: string;
  readonly action: string | undefined;
  readonly installation: number | undefined;
  readonly repository: EventRepository | undefined;
  /** Also of comments, reviews and checks, where they belong to exactly one. */
  readonly pullRequest: number | undefined;
  readonly sender: EventSender | undefined;
  readonly payload: Payload;
  readonly receivedAt: Date;
  /** When GitHub first sent it: earlier, if it had to be asked for again. */
  readonly sentAt: Date;
  /** How often somebody asked for it once more: each time it may start its work anew. */
  readonly replay: number;
  /** How often it could not be handled since. */
  readonly failures: number;
}

export interface EventRepository {
  readonly id: number;
  /** `owner/name`. */
  readonly fullName: string;
  readonly cloneUrl: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
}

export interface EventSender {
  readonly login: string;
  /** `User`, `Bot`, `Organization`. */
  readonly type: string;
}

export type Payload = Readonly<Record<string, unknown>>;

/** What stands in columns, besides the bytes: to find and order events by. */
export type EventFacts = Pick<
  GithubEvent,
  "action" | "installation" | "repository" | "pullRequest" | "sender"
>;

const NAME_LENGTH_MAX = 400;
/** As GitHub sends them, none is deeper than a dozen. */
const DEPTH_MAX = 200;
/** The character 0 and halves of surrogate pairs, as they may stand in JSON: no job could keep them. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Throws `invalid-json` for what is no object in JSON. */
export function readPayload(body: Buffer, isForm: boolean): Payload {
  const text = isForm ? formPayload(body) : decoded(body);
  if (depthOf(text) > DEPTH_MAX) throw notJson();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notJson(); // the parser's own words quote the body
  }
  const payload = objectOf(UNSTORABLE.test(text) ? storable(value) : value);
  if (payload === undefined) throw notJson();
  return payload;
}

export function factsOf(payload: Payload): EventFacts {
  const sender = objectOf(payload["sender"]);
  const login = textOf(sender?.["login"]);
  return {
    action: textOf(payload["action"]),
    installation: numberOf(objectOf(payload["installation"])?.["id"]),
    repository: repositoryOf(objectOf(payload["repository"])),
    pullRequest: pullRequestOf(payload),
    sender: login === undefined ? undefined : { login, type: textOf(sender?.["type"]) ?? "User" },
  };
}

function repositoryOf(said: Payload | undefined): EventRepository | undefined {
  const id = numberOf(said?.["id"]);
  const fullName = textOf(said?.["full_name"]);
  const cloneUrl = textOf(said?.["clone_url"]);
  if (id === undefined || fullName === undefined || cloneUrl === undefined) return undefined;
  const defaultBranch = textOf(said?.["default_branch"]) ?? "main";
  return { id, fullName, cloneUrl, defaultBranch, isPrivate: said?.["private"] === true };
}

function pullRequestOf(payload: Payload): number | undefined {
  const direct = numberOf(objectOf(payload["pull_request"])?.["number"]);
  if (direct !== undefined) return direct;
  const issue = objectOf(payload["issue"]);
  if (objectOf(issue?.["pull_request"]) !== undefined) return numberOf(issue?.["number"]);
  return numberOf(listedPullRequest(payload)?.["number"]);
}

/** The one that a check or a workflow is for. A commit may also be in those of other repositories: forks list them, too. */
export function listedPullRequest(payload: Payload): Payload | undefined {
  const here = numberOf(objectOf(payload["repository"])?.["id"]);
  for (const name of ["check_run", "check_suite", "workflow_run"]) {
    const listed = objectOf(payload[name])?.["pull_requests"];
    if (!Array.isArray(listed)) continue;
    const pulls = listed.map(objectOf).filter((each) => each !== undefined);
    const own = pulls.filter((each) => isInto(each, here));
    if (own.length === 1) return own[0];
  }
  return undefined;
}

function isInto(pull: Payload, repository: number | undefined): boolean {
  const base = objectOf(objectOf(pull["base"])?.["repo"])?.["id"];
  return repository !== undefined && base === repository;
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    throw notJson();
  }
}

/** `payload=…`, as GitHub sends it where an App is set to forms. */
function formPayload(body: Buffer): string {
  const payload = new URLSearchParams(body.toString("latin1")).get("payload");
  if (payload !== null) return payload;
  throw new EngineError("bad-request", "the form has no field 'payload'");
}

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (isText) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) isText = false;
    } else if (char === QUOTE) isText = true;
    else if (char === BRACKET || char === BRACE) most = Math.max(most, ++depth);
    else if (char === BRACKET + 2 || char === BRACE + 2) depth--;
  }
  return most;
}

const QUOTE = 0x22;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** With U+FFFD in the place of what no database can keep. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [storableText(key), storable(each)]));
}

function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").replaceAll(/\p{Cs}/gu, "\ufffd");
}

export function objectOf(value: unknown): Payload | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Payload) : undefined;
}

/** Names are short; longer ones are nobody's. */
export function textOf(value: unknown): string | undefined {
  const isName = typeof value === "string" && value !== "" && value.length <= NAME_LENGTH_MAX;
  return isName ? value : undefined;
}

/** GitHub numbers from 1. */
function numberOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

function notJson(): EngineError {
  return new EngineError("invalid-json", "the body is not an object in JSON");
}

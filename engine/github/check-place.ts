// Which check run at GitHub a run is: of which repository and commit, under which name.
import { parseRemoteUrl } from "@croft/git";
import { evaluateText, type Pipeline } from "@croft/pipeline";
import type { Engine } from "../engine.ts";
import { pipelineOf } from "../runs/read-pipeline.ts";
import { beginningContext } from "../runs/run-context.ts";
import type { RunRow } from "../runs/run-rows.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { fullNameOf, type GithubWriter } from "./results/result-target.ts";

export interface CheckPlace {
  /** `owner/name`. */
  readonly repository: string;
  /** Undefined until the run has begun, when its event names none. */
  readonly headSha: string | undefined;
  readonly name: string;
}

const NAME_LENGTH_MAX = 100;
/** A merge queue waits for the checks of what it is about to merge. */
const ABOUT_COMMITS = new Set(["push", "pull_request", "merge_group"]);

/** Undefined: it is none. */
export function checkPlace(
  { config, github }: Pick<Engine, "config"> & { readonly github: GithubWriter },
  run: RunRow,
): CheckPlace | undefined {
  const pipeline = pipelineOf(run);
  if (!wantsCheck(pipeline, run.event)) return undefined;
  const repository = fullNameOf(
    github,
    parseRemoteUrl(run.repository, addressRules(config, run.owner)),
  );
  if (repository === undefined) return undefined; // it is elsewhere
  const headSha = run.commit ?? commitOfEvent(run.event);
  return { repository, headSha, name: checkName(pipeline, run) };
}

/** Said in the pipeline, or else of events that are about a commit. */
function wantsCheck({ check }: Pick<Pipeline, "check">, event: RunRow["event"]): boolean {
  const name = memberOf(event, "event");
  if (check !== undefined || typeof name !== "string") {
    return check !== undefined && check !== false && typeof name === "string";
  }
  return ABOUT_COMMITS.has(name);
}

function checkName({ name, check }: Pipeline, run: RunRow): string {
  const given = typeof check === "object" ? check.name : undefined;
  const text = given === undefined ? name : evaluateText(given, beginningContext(run));
  return text.replaceAll(/\s+/g, " ").trim().slice(0, NAME_LENGTH_MAX) || name;
}

function commitOfEvent(event: RunRow["event"]): string | undefined {
  const head = memberOf(memberOf(event, "pull_request"), "head");
  const merged = memberOf(memberOf(event, "merge_group"), "head_sha");
  const pushed = memberOf(memberOf(event, "head_commit"), "id") ?? memberOf(event, "after");
  const sha = memberOf(head, "sha") ?? merged ?? pushed;
  const isCommit = typeof sha === "string" && /^[0-9a-f]{40}$/.test(sha) && !/^0+$/.test(sha);
  return isCommit ? sha : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

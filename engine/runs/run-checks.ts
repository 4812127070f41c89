// The checks of a step: what it left must be as asked for, before its result counts.
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommitId, Workspace } from "@croft/git";
import type { RunStep, StepCheck } from "@croft/pipeline";
import { evaluateText } from "@croft/pipeline";
import { AssetError } from "../assets/asset-error.ts";
import { openInside, readOpened } from "../assets/open-inside.ts";
import { DIRECTORY_MEDIA_TYPE } from "../assets/pack-directory.ts";
import { EMPTY_TAR_BYTES } from "../assets/write-tar.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { askCheckThread, CheckGaveUp } from "./ask-check-thread.ts";
import { runScript } from "./run-script.ts";
import type { StepResult } from "./step-result.ts";
import type { StepScene } from "./step-scene.ts";

export interface CheckPlace {
  readonly workspace: Workspace;
  readonly environment: Readonly<Record<string, string>>;
  readonly result: RecordedResult;
  /** As they were stored: what a check says holds for what others get. */
  readonly artifacts: NonNullable<StepResult["artifacts"]>;
}

/** Where the step began, and what it left. */
export interface RecordedResult {
  readonly base: CommitId;
  readonly commit: CommitId;
}

const TEXT_BYTES_MAX = 16 * 1024 * 1024;
const FAULTS_MAX = 10;

/** Returns the warnings; throws at the first check that fails and is more than one. */
export async function runChecks(
  scene: StepScene & { readonly step: RunStep },
  place: CheckPlace,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const check of scene.step.checks) {
    const fault = await faultOf(scene, place, check).catch(giveUp);
    if (fault === undefined) continue;
    scene.attempt.log(`check '${check.kind}': ${fault}\n`);
    if (check.onFailure !== "warn")
      throw new CheckFailure(`check '${check.kind}': ${fault}`, check.onFailure);
    warnings.push(`${check.kind}: ${fault}`);
  }
  return warnings;
}

/** The script did what it does, but that was not what was asked for. */
export class CheckFailure extends JobFailure {
  readonly onFailure: "fail" | "retry";

  constructor(message: string, onFailure: "fail" | "retry") {
    super("command", "check-failed", message);
    this.onFailure = onFailure;
  }
}

/** Tried again it would be the same. */
function giveUp(error: unknown): string {
  if (error instanceof CheckGaveUp || error instanceof AssetError) return error.message;
  throw error;
}

async function faultOf(
  scene: StepScene & { readonly step: RunStep },
  place: CheckPlace,
  check: StepCheck,
): Promise<string | undefined> {
  const { workspace, environment, result } = place;
  switch (check.kind) {
    case "not-empty": {
      const found = await readArtifact(scene, place, check.artifact);
      const isFilled = found instanceof Directory ? found.hasEntries : (found ?? "").trim() !== "";
      return isFilled ? undefined : `'${check.artifact}' is empty`;
    }
    case "json-schema":
      return await schemaFault(scene, place, check);
    case "command":
      return await commandFault(
        scene,
        workspace,
        environment,
        evaluateText(check.command, scene.context),
      );
    case "no-diff-outside":
    case "tests-not-removed":
      return await diffFault(scene, result, check);
  }
}

/** Of what was recorded: the job's own git could tell anything. */
async function diffFault(
  { git, run, source, signal }: StepScene,
  { base, commit }: RecordedResult,
  { kind, globs }: Extract<StepCheck, { kind: "no-diff-outside" | "tests-not-removed" }>,
): Promise<string | undefined> {
  const between = { from: base, to: commit };
  const readChanges = () =>
    "checkout" in source
      ? git.local.changes({ ...between, checkout: source.checkout, signal })
      : git.results.changes({ ...between, owner: run.owner, repository: source.remote });
  const changes = base === commit ? [] : await readChanges();
  const isOutside = kind === "no-diff-outside";
  const paths = changes.filter(({ isRemoved }) => isOutside || isRemoved).map(({ path }) => path);
  if (paths.length === 0) return undefined;
  const isNamed = await askCheckThread({ kind: "globs", globs, paths }, signal);
  const wrong = paths.filter((_path, at) => isNamed[at] !== isOutside);
  if (wrong.length === 0) return undefined;
  const what = isOutside ? "changed outside of what it may" : "tests were removed";
  return `${what}: ${listOf(wrong, wrong.length)}`;
}

async function commandFault(
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
  environment: Readonly<Record<string, string>>,
  command: string,
): Promise<string | undefined> {
  try {
    await runScript(scene, workspace, environment, command);
    return undefined;
  } catch (error) {
    if (error instanceof JobFailure && error.code === "command-failed") return error.message;
    throw error;
  }
}

async function schemaFault(
  scene: StepScene & { readonly step: RunStep },
  place: CheckPlace,
  { artifact, schema }: Extract<StepCheck, { kind: "json-schema" }>,
): Promise<string | undefined> {
  const found = await readArtifact(scene, place, artifact);
  if (found === undefined) return `'${artifact}' is not there`;
  if (found instanceof Directory) return `'${artifact}' is a directory, not JSON`;
  const given =
    "inline" in schema
      ? JSON.stringify(schema.inline)
      : await readFile(place.workspace, schema.path);
  const question = { kind: "schema", schema: given ?? "", value: found } as const;
  const answer = await askCheckThread(question, scene.signal);
  switch (answer.kind) {
    case "no-schema":
      return `the schema '${"path" in schema ? schema.path : ""}' is not JSON, or not there`;
    case "no-json":
      return `'${artifact}' is not JSON`;
    case "unusable":
      return `the schema cannot be used: ${answer.reason}`;
    case "faults":
      if (answer.count === 0) return undefined;
      return `'${artifact}' is not as its schema says: ${listOf(answer.faults, answer.count)}`;
  }
}

async function readArtifact(
  { parts }: StepScene,
  { artifacts }: CheckPlace,
  name: string,
): Promise<string | Directory | undefined> {
  const stored = artifacts.find((artifact) => artifact.name === name);
  if (stored === undefined) return undefined; // an optional one
  const { bytes, media_type } = stored;
  if (media_type === DIRECTORY_MEDIA_TYPE) return new Directory(bytes > EMPTY_TAR_BYTES);
  const opened = await (await parts.assets.store()).open(stored, bytes);
  if (opened === undefined) throw new Error(`artifact '${name}' was stored, and is not there`);
  try {
    return await readText(name, bytes, () => opened.stream());
  } finally {
    await opened.close();
  }
}

/** An artifact that is one. */
class Directory {
  readonly hasEntries: boolean;

  constructor(isFilled: boolean) {
    this.hasEntries = isFilled;
  }
}

async function readFile(workspace: Workspace, path: string): Promise<string | undefined> {
  const { path: directory, user } = workspace;
  try {
    const { handle, size } = await openInside({ directory, path, user });
    try {
      return await readText(path, size, () => readOpened(handle));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof AssetError && error.code === "not-found") return undefined;
    throw error;
  }
}

async function readText(name: string, bytes: number, open: () => Readable): Promise<string> {
  if (bytes > TEXT_BYTES_MAX) throw new CheckGaveUp(`'${name}' is too large to be checked`);
  return await text(open());
}

/** The first of them, and how many more there are. */
function listOf(some: readonly string[], count: number): string {
  const shown = some.slice(0, FAULTS_MAX);
  const more = count - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

// The checks of a step: what it left must be as asked for, before its result counts.
import { text } from "node:stream/consumers";
import type { CommitId, Workspace } from "@croft/git";
import type { RunStep, StepCheck } from "@croft/pipeline";
import { evaluateText } from "@croft/pipeline";
import { AssetError } from "../assets/asset-error.ts";
import { openInside, readOpened } from "../assets/open-inside.ts";
import { hasEntries } from "../assets/pack-directory.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { askCheckThread, CheckGaveUp } from "./ask-check-thread.ts";
import { runScript } from "./run-script.ts";
import type { StepScene } from "./step-scene.ts";

export interface CheckPlace {
  readonly workspace: Workspace;
  readonly environment: Readonly<Record<string, string>>;
  readonly result: RecordedResult;
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

/** Tried again it would take as long. */
function giveUp(error: unknown): string {
  if (error instanceof CheckGaveUp) return error.message;
  throw error;
}

async function faultOf(
  scene: StepScene & { readonly step: RunStep },
  { workspace, environment, result }: CheckPlace,
  check: StepCheck,
): Promise<string | undefined> {
  switch (check.kind) {
    case "not-empty": {
      const found = await readArtifact(scene, workspace, check.artifact);
      const isFilled = found instanceof Directory ? found.hasEntries : (found ?? "").trim() !== "";
      return isFilled ? undefined : `'${check.artifact}' is empty`;
    }
    case "json-schema":
      return await schemaFault(scene, workspace, check);
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
  workspace: Workspace,
  { artifact, schema }: Extract<StepCheck, { kind: "json-schema" }>,
): Promise<string | undefined> {
  const found = await readArtifact(scene, workspace, artifact);
  if (found === undefined) return `'${artifact}' is not there`;
  if (found instanceof Directory) return `'${artifact}' is a directory, not JSON`;
  const given =
    "inline" in schema ? JSON.stringify(schema.inline) : await readFile(workspace, schema.path);
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
  scene: StepScene & { readonly step: RunStep },
  workspace: Workspace,
  name: string,
): Promise<string | Directory | undefined> {
  const artifact = scene.step.artifacts[name];
  if (artifact === undefined) return undefined;
  const path = evaluateText(artifact.path, scene.context).replace(/\/+$/, "");
  try {
    return await readFile(workspace, path);
  } catch (error) {
    if (!(error instanceof AssetError && error.code === "is-directory")) throw error;
    const from = { directory: workspace.path, path, user: workspace.user };
    return new Directory(await hasEntries(from));
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
  try {
    const { handle, size } = await openInside({
      directory: workspace.path,
      path,
      user: workspace.user,
    });
    try {
      if (size > TEXT_BYTES_MAX)
        throw new JobFailure("command", "check-failed", `'${path}' is too large to be checked`);
      return await text(readOpened(handle));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof AssetError && error.code === "not-found") return undefined;
    throw error;
  }
}

/** The first of them, and how many more there are. */
function listOf(some: readonly string[], count: number): string {
  const shown = some.slice(0, FAULTS_MAX);
  const more = count - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

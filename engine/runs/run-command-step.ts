// A step that runs a script in a workspace of its own.
import { commitId, type FurtherRepository, parseRemoteUrl, type Workspace } from "@croft/git";
import { evaluateText, type RunStep, refFault } from "@croft/pipeline";
import { chooseSandbox } from "../command/choose-sandbox.ts";
import { removeWorkspace } from "../command/remove-workspace.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { logWith } from "../log.ts";
import { SecretMask } from "../logs/secret-mask.ts";
import { addressRules } from "../secrets/credential-access.ts";
import { openSecrets } from "../secrets/secret-store.ts";
import { makeWorktree } from "./checkout-steps.ts";
import { inject } from "./inject-artifacts.ts";
import { keepChecks } from "./keep-checks.ts";
import { accessToOwn, pinnedBase } from "./own-repository.ts";
import { parseOutputs } from "./parse-outputs.ts";
import { requireTrusted } from "./require-trusted.ts";
import { runChecks } from "./run-checks.ts";
import { textsOf } from "./run-context.ts";
import { runScript } from "./run-script.ts";
import { StepExchange } from "./step-exchange.ts";
import {
  bringResult,
  bundleOf,
  type ResultPlace,
  requireGood,
  storeArtifacts,
} from "./step-files.ts";
import type { StepResult } from "./step-result.ts";
import { accessTo, resultRef, type StepScene } from "./step-scene.ts";

/** All of them are looked for in all that the step says: what that needs grows with them. */
const SECRETS_BYTES_MAX = 1024 * 1024;

export async function runCommandStep(
  scene: StepScene & { readonly step: RunStep },
): Promise<StepResult> {
  const { attempt, step, run } = scene;
  const start = await startOf(scene);
  const workspace = await makeWorkspace(scene, start);
  const log = logWith(scene.log, { workspace: workspace.id, path: workspace.path });
  log.info({ kind: workspace.kind, commit: workspace.base }, "a workspace was made");
  const { user } = workspace;
  try {
    await attempt.guard(workspace.path, user?.uid ?? process.getuid?.() ?? 0);
    attempt.log(`workspace '${workspace.id}' (${workspace.kind}) at ${workspace.base}\n`);
    const secrets = await secretsOf(scene);
    const variables = variablesOf(scene);
    const own = { ...scene, context: { ...scene.context, env: variables } };
    await inject(own, workspace);
    const exchange = await StepExchange.open(workspace, user, secrets.files);
    const environment = {
      ...environmentOf(scene, variables),
      ...secrets.env,
      ...exchange.environment,
      ...(step.workspace.history === undefined
        ? {}
        : { CROFT_MERGE_BASE: workspace.mergeBase ?? "" }),
    };
    await runScript(own, workspace, environment).catch((error: unknown) =>
      keepChecks(own, workspace, error),
    );
    const artifacts = await storeArtifacts(own, workspace);
    const outputs = await readOutputs(scene, exchange, secrets.mask);
    const ref = resultRef(run.id, step.id, scene.row.item);
    const message = `${run.name} #${run.number}: ${step.name}`;
    const { commit } = await workspace.result({ ref, message, signal: scene.signal });
    log.info({ commit, ref }, "a result was recorded");
    const result = { base: workspace.base, commit };
    const place = { workspace, environment, result, artifacts };
    const warnings = await runChecks(own, place);
    const base = start?.base ?? workspace.base;
    const summary = await exchange.readSummary();
    return {
      ...{ outputs, artifacts, commit, base },
      ...(workspace.branch === undefined ? {} : { branch: workspace.branch }),
      ...(summary === "" ? {} : { summary }),
      report: { workspace: workspace.id, kind: workspace.kind, warnings },
      ...(await bundleOf(scene, commit, base)),
    };
  } finally {
    await removeWorkspace(workspace, log);
  }
}

/** The result of an earlier step, brought here if it was made elsewhere; undefined: at the run's own commit. */
async function startOf(
  scene: StepScene & { readonly step: RunStep },
): Promise<ResultPlace | undefined> {
  const { from } = scene.step.workspace;
  if (from === undefined) return undefined;
  const row = scene.rows.find((each) => each.step === from && each.item === "");
  if (row?.commit == null || row.base === null) {
    throw new JobFailure("invalid", "no-result", `step '${from}' has no result to start from`);
  }
  const start = { commit: commitId(row.commit), base: commitId(row.base) };
  await bringResult(scene, from, "", start);
  return start;
}

async function makeWorkspace(
  scene: StepScene & { readonly step: RunStep },
  start: ResultPlace | undefined,
): Promise<Workspace> {
  const { attempt, git, step, run, source, signal, context, parts } = scene;
  const { kind, sparse, submodules, lfs, repositories } = step.workspace;
  const text = (template: string | undefined) =>
    template === undefined ? undefined : evaluateText(template, context);
  const branch = text(step.workspace.branch);
  requireGood("branch", branch, refFault);
  const base = text(step.workspace.base);
  const history = text(step.workspace.history);
  requireGood("history", history, refFault);
  const sandbox = chooseSandbox({
    ...{ asked: step.sandbox, setting: parts.config.job.sandbox, owner: run.owner },
    ability: git.platform.sandbox,
  });
  if ("checkout" in source) {
    const at = start?.commit ?? base ?? run.commit;
    return await makeWorktree(scene, source.checkout, { base: at, branch, sandbox });
  }
  if (kind === "worktree") throw new JobFailure("invalid", "no-worktree", noWorktree(step));
  const repository = source.remote;
  const reaching = await accessToOwn(scene, repository, scene.credential);
  const { ref, access } =
    base === undefined
      ? { ref: run.commit, access: reaching }
      : await pinnedBase(scene, base, { repository, access: reaching });
  return await git.workspaces.create({
    ...{ repository, kind, branch, lfs, sandbox, signal, history },
    ...(start === undefined ? { ref } : { from: start }),
    sparse: sparse.length === 0 ? undefined : sparse,
    name: `${run.name}-${step.id}`,
    owner: { owner: run.owner, jobId: attempt.id, attempt: attempt.attempt, runId: run.id },
    access,
    submodules: submodules ? addressRules(parts.config, run.owner) : undefined,
    repositories: await furtherRepositories(scene, repositories),
  });
}

export function noWorktree({ id }: Pick<RunStep, "id">): string {
  return `step '${id}': 'kind: worktree' is for a run on a checkout of this machine ('croft run' in it, or --repo <path>); this one is on a remote`;
}

/** Each with the credential that is named for it, or the owner's own. */
async function furtherRepositories(
  scene: StepScene,
  named: RunStep["workspace"]["repositories"],
): Promise<FurtherRepository[]> {
  const { context, parts } = scene;
  const all: FurtherRepository[] = [];
  for (const { url, ref, path, credential } of Object.values(named)) {
    const rules = addressRules(parts.config, scene.run.owner);
    const repository = parseRemoteUrl(evaluateText(url, context), rules);
    const at = ref === undefined ? {} : { ref: evaluateText(ref, context) };
    all.push({ repository, path, ...at, access: await accessTo(scene, repository, credential) });
  }
  return all;
}

async function readOutputs(
  { attempt, step }: StepScene & { readonly step: RunStep },
  exchange: StepExchange,
  mask: SecretMask,
): Promise<Record<string, string>> {
  const text = await exchange.read("output");
  const { outputs, unknown, secret } = parseOutputs(text, step.outputs, mask);
  for (const name of unknown) attempt.log(`output '${name}' is not listed in 'outputs': ignored\n`);
  for (const name of secret) attempt.log(`output '${name}' has a secret in it: left out\n`);
  return outputs;
}

async function secretsOf({ parts, run, step, attempt }: StepScene & { readonly step: RunStep }) {
  const { files, env } = step.secrets;
  const names = [...new Set([...files, ...Object.values(env)])];
  if (names.length > 0) await requireTrusted(parts.database.pool, run);
  const opened =
    names.length === 0
      ? new Map<string, string>()
      : await openSecrets(parts.vault, run.owner, names);
  const bytes = [...opened.values()].reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  if (bytes > SECRETS_BYTES_MAX) {
    const message = `its secrets have ${bytes} bytes: at most ${SECRETS_BYTES_MAX} in one step`;
    throw new JobFailure("invalid", "secrets-too-large", message);
  }
  const mask = attempt.mask(SecretMask.withLines([...opened.values()]));
  const value = (name: string) => opened.get(name) ?? "";
  return {
    mask,
    files: new Map(files.map((name) => [name, value(name)])),
    env: Object.fromEntries(Object.entries(env).map(([variable, name]) => [variable, value(name)])),
  };
}

/** In a step's own variables `env` is the pipeline's; in what runs with them it is both, the step's own first. */
function variablesOf({ pipeline, step, context }: StepScene & { readonly step: RunStep }) {
  const variables = textsOf(pipeline.env, context);
  for (const [name, text] of Object.entries(step.env))
    variables[name] = evaluateText(text, context);
  return variables;
}

function environmentOf(
  { step, run, row, attempt }: StepScene,
  variables: Readonly<Record<string, string>>,
) {
  return {
    CI: "true",
    ...variables,
    CROFT_RUN_ID: run.id,
    CROFT_RUN_NUMBER: String(run.number),
    CROFT_STEP: step.id,
    CROFT_ITEM: row.item,
    CROFT_ATTEMPT: String(attempt.attempt),
    CROFT_COMMIT: run.commit,
  };
}

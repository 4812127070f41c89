// Check runs of a fake GitHub: at most 50 annotations a request, each request's added to those before.
import { FakeError, notFound } from "./fake-github-error.ts";
import { commitOf } from "./fake-github-git.ts";
import { type Asked, pageOf, type Route, requireRepository, textOf } from "./fake-github-router.ts";
import { checkRunJson } from "./fake-github-shapes.ts";
import type { FakeCheckRun } from "./fake-github-state.ts";

export const CHECK_ROUTES: readonly Route[] = [
  ["POST /repos/:owner/:repo/check-runs", createCheckRun],
  ["PATCH /repos/:owner/:repo/check-runs/:id", changeCheckRun],
  ["GET /repos/:owner/:repo/check-runs/:id", showCheckRun],
  ["GET /repos/:owner/:repo/check-runs/:id/annotations", listAnnotations],
  ["GET /repos/:owner/:repo/commits/:ref/check-runs", listCheckRuns],
];

const ANNOTATIONS_MAX = 50;
const SUMMARY_MAX = 65_535;
const STATUSES = ["queued", "in_progress", "completed"];
const CONCLUSIONS = [
  ...["success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"],
];

async function createCheckRun(asked: Asked) {
  const repository = requireRepository(asked, "write", "checks");
  const { body, state } = asked;
  const name = textOf(body, "name", { isRequired: true }) ?? "";
  const headSha = textOf(body, "head_sha", { isRequired: true }) ?? "";
  if (!/^[0-9a-f]{40}$/.test(headSha) || !(await commitOf(repository.path, headSha))) {
    throw new FakeError(422, `No commit found for SHA: ${headSha}`);
  }
  const run: FakeCheckRun = {
    ...{ id: state.nextId(), headSha, name, externalId: null, detailsUrl: null },
    ...{ status: "queued", conclusion: null, annotations: [], history: [] },
    output: { title: null, summary: null, text: null },
  };
  apply(run, body);
  repository.checkRuns.push(run);
  return { status: 201, body: checkRunJson(run, state) };
}

function changeCheckRun(asked: Asked) {
  const run = findRun(asked, "write");
  apply(run, asked.body);
  return { body: checkRunJson(run, asked.state) };
}

function apply(run: FakeCheckRun, body: Asked["body"]): void {
  const conclusion = textOf(body, "conclusion");
  const status = textOf(body, "status") ?? (conclusion === undefined ? run.status : "completed");
  if (!STATUSES.includes(status)) throw new FakeError(422, `status ${status} is unknown`);
  if (conclusion !== undefined && !CONCLUSIONS.includes(conclusion)) {
    throw new FakeError(422, `conclusion ${conclusion} is unknown`);
  }
  if (status === "completed" && (conclusion ?? run.conclusion) === null) {
    throw new FakeError(422, "a completed check run needs a conclusion");
  }
  applyOutput(run, body["output"] as Asked["body"] | undefined);
  run.name = textOf(body, "name") ?? run.name;
  run.externalId = textOf(body, "external_id") ?? run.externalId;
  run.detailsUrl = textOf(body, "details_url") ?? run.detailsUrl;
  run.status = status;
  run.conclusion = status === "completed" ? (conclusion ?? run.conclusion) : null;
  run.history.push(run.conclusion === null ? status : `${status}/${run.conclusion}`);
}

function applyOutput(run: FakeCheckRun, output: Asked["body"] | undefined): void {
  if (output === undefined) return;
  const annotations = (output["annotations"] ?? []) as FakeCheckRun["annotations"];
  if (annotations.length > ANNOTATIONS_MAX) {
    throw new FakeError(422, `No more than ${ANNOTATIONS_MAX} annotations a request`);
  }
  for (const annotation of annotations) {
    const { path, start_line, end_line, annotation_level, message } = annotation;
    const isLevel = ["notice", "warning", "failure"].includes(String(annotation_level));
    const isPlaced = Number.isInteger(start_line) && Number.isInteger(end_line);
    if (typeof path !== "string" || !isPlaced || !isLevel || typeof message !== "string") {
      throw new FakeError(422, "Invalid request: annotations");
    }
  }
  const title = textOf(output, "title", { isRequired: true }) ?? null;
  const summary = textOf(output, "summary", { max: SUMMARY_MAX, isRequired: true }) ?? null;
  const text = textOf(output, "text", { max: SUMMARY_MAX }) ?? run.output.text;
  run.output = { title, summary, text };
  run.annotations.push(...annotations);
}

function findRun(asked: Asked, level: "read" | "write"): FakeCheckRun {
  const { checkRuns } = requireRepository(asked, level, "checks");
  const run = checkRuns.find(({ id }) => id === Number(asked.path["id"]));
  if (run === undefined) throw notFound();
  return run;
}

function showCheckRun(asked: Asked) {
  return { body: checkRunJson(findRun(asked, "read"), asked.state) };
}

function listAnnotations(asked: Asked) {
  const { items, headers } = pageOf(asked, findRun(asked, "read").annotations);
  return { body: items, headers };
}

async function listCheckRuns(asked: Asked) {
  const repository = requireRepository(asked, "read", "checks");
  const { query, path, state } = asked;
  const commit = await commitOf(repository.path, path["ref"] ?? "");
  if (commit === undefined) throw new FakeError(422, `No commit found for SHA: ${path["ref"]}`);
  const name = query.get("check_name");
  const found = repository.checkRuns.filter(
    (run) => run.headSha === commit && (name === null || run.name === name),
  );
  const { items, headers } = pageOf(asked, found.toReversed()); // the newest first
  const check_runs = items.map((run) => checkRunJson(run, state));
  return { body: { total_count: found.length, check_runs }, headers };
}

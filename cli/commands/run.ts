// `croft run`: runs a pipeline, tells what its steps do, and ends as it ends.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { RunDetail } from "@croft/contract";
import { EngineError, findExcludesFile } from "@croft/engine";
import { parsePipelineBytes, problemText } from "@croft/pipeline";
import { Command, InvalidArgumentError } from "commander";
import { clientAction, type Reach } from "../client-action.ts";
import { ensureServer } from "../ensure-server.ts";
import { askRun, followRun, reportRunEnd } from "../follow-run.ts";
import { isElsewhere } from "../reach-server.ts";
import { addDataFlags, isDumbTerminal, personalPlaces } from "../read-config.ts";
import { describeFailure } from "../report-failures.ts";
import { requireAnswer } from "../require-answer.ts";
import { placeOf, type RunPlace } from "../run-place.ts";
import { LiveView, PlainView, QuietView, type RunView } from "../run-view.ts";
import { stopSignal } from "../stop-signal.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface RunOptions {
  readonly input: Readonly<Record<string, string>>;
  readonly repo?: string;
  readonly ref?: string;
  readonly dirty?: boolean;
  readonly sourceTaskId?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

export function createCommand(): Command {
  const command = new Command("run")
    .argument("<file>", "the pipeline")
    .option("-i, --input <name=value>", "an input; may be given several times", collect, {})
    .option(
      "--repo <url or path>",
      "the repository, instead of the one that the pipeline names, or this checkout",
    )
    .option("--ref <ref>", "branch, tag or commit")
    .option("--dirty", "in a checkout: with what is not committed")
    .option("--source-task-id <id>", "an id of yours, to find the run by, and all that it makes")
    .option("--detach", "do not wait for its end")
    .option("--json", "the run as JSON at its end");
  return addDataFlags(command).action(
    clientAction(command, (reach) => runPipeline(command, reach), ensureServer, "welcome"),
  );
}

async function runPipeline(command: Command, reach: Reach): Promise<void> {
  const { detach = false, json = false } = command.opts<RunOptions>();
  const body = await requestOf(command);
  await reach(); // until here nothing has begun: whoever does not want to wait for a server just leaves
  const submitted = submit(reach, body);
  let view: RunView = new QuietView();
  if (!detach) {
    stopSignal().addEventListener("abort", () => {
      view.say("croft: cancelling the run; once more leaves it");
      submitted
        .then(
          ({ id }) => cancel(reach, id),
          () => undefined, // told below
        )
        .catch((error: unknown) => {
          view.say(`croft: it could not be cancelled: ${describeFailure(error)}`);
        });
    });
  }
  const { warnings, ...run } = await submitted;
  for (const warning of warnings) process.stderr.write(`croft: ${warning}\n`);
  if (!json) await writeOutput(`${run.id}\n`);
  if (detach) {
    if (json) await writeJson(run);
    return;
  }
  view = viewOf(reach, RunDetail.parse(run), json);
  const ended = await followRun(reach, run.id, view);
  if (json) await writeJson(ended);
  await reportRunEnd(await reach(), ended);
}

/** What is wrong with the file is told here, before a server is started for it. */
async function requestOf(command: Command) {
  const { input, repo, ref, dirty = false, sourceTaskId } = command.opts<RunOptions>();
  const [file = ""] = command.args;
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new EngineError("invalid-input", `cannot read '${file}': ${error.message}`);
  });
  const { pipeline, problems } = parsePipelineBytes(bytes, { file });
  if (pipeline === undefined) {
    throw new EngineError("invalid-pipeline", problems.map((each) => problemText(each)).join("\n"));
  }
  const place = placeOf({
    ...{ repo, dirty, file, isElsewhere: isElsewhere(command), directory: process.cwd() },
    namesRepository: pipeline.repository !== undefined,
  });
  return {
    ...{ text: bytes.toString("utf8"), inputs: input, priority: "normal" as const },
    ...(await withIgnored(place)),
    ...(ref === undefined ? {} : { ref }),
    ...(sourceTaskId === undefined ? {} : { source_task_id: sourceTaskId }),
  };
}

async function withIgnored(place: RunPlace): Promise<RunPlace> {
  const { checkout } = place;
  if (checkout === undefined) return place;
  const excludes = await findExcludesFile(personalPlaces());
  return excludes === undefined
    ? place
    : { ...place, checkout: { ...checkout, excludes_file: excludes } };
}

const TRIES = 3;

/** A server may end, or be killed, at this very moment: asked again under the same key, it is one run. */
async function submit(reach: Reach, body: Awaited<ReturnType<typeof requestOf>>) {
  const params = { header: { "idempotency-key": randomUUID() } };
  for (let left = TRIES - 1; ; left--) {
    const { client } = await reach();
    try {
      return requireAnswer(await client.POST("/api/runs", { params, body }));
    } catch (error) {
      if (left === 0 || !isCutOff(error)) throw error;
    }
  }
}

/** No answer came at all. */
function isCutOff(error: unknown): boolean {
  return error instanceof EngineError && error.cause instanceof TypeError;
}

async function cancel(reach: Reach, id: string): Promise<void> {
  const { client } = await reach();
  requireAnswer(await client.POST("/api/runs/{id}/cancel", { params: { path: { id } } }));
}

function viewOf(reach: Reach, run: RunDetail, isQuiet: boolean): RunView {
  if (isQuiet) return new QuietView();
  if (!process.stderr.isTTY || isDumbTerminal()) return new PlainView();
  return new LiveView(process.stderr, run, async () => await askRun(await reach(), run.id));
}

function collect(given: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be name=value.");
  }
  return { ...before, [name]: value };
}

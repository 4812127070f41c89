// `croft jobs submit`: a new job, waited for if that is wanted.
import { JobPriority } from "@croft/contract";
import { duration } from "@croft/engine";
import { Command, InvalidArgumentError, Option } from "commander";
import { clientAction } from "./client-action.ts";
import { followJob, reportEnd } from "./follow-job.ts";
import { jobView } from "./job-view.ts";
import { addDataFlags } from "./read-config.ts";
import { readInput } from "./read-input.ts";
import { requireAnswer } from "./require-answer.ts";
import { saveResults } from "./save-results.ts";
import { plainText } from "./terminal-text.ts";
import { wholeNumber } from "./whole-number.ts";
import { writeJson, writeOutput } from "./write-output.ts";

interface SubmitOptions {
  readonly input: readonly string[];
  readonly key?: string;
  readonly priority: JobPriority;
  readonly runAt?: string;
  readonly attempts?: number;
  readonly timeout?: number;
  readonly dedupe?: string;
  readonly sourceTaskId?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const ATTEMPTS_MAX = 100;
const Timeout = duration("1ms", "20d");

export function createSubmitCommand(): Command {
  const command = new Command("submit")
    .description("Submit a job, and print its id")
    .argument("<type>", "what to do")
    .option(
      "--input <value>",
      "its input: JSON, @file, - for stdin, name=text or name:=json; may be given again",
      (value: string, before: readonly string[]) => [...before, value],
      [] as readonly string[],
    )
    .option("--key <key>", "the lane: jobs of one key share its limit")
    .addOption(
      new Option("--priority <priority>", "what goes first")
        .choices(JobPriority.options)
        .default("normal"),
    )
    .option("--run-at <time>", "not before, such as 2030-01-31T08:00Z", timeOf)
    .option("--attempts <number>", "how often it may fail", wholeNumber(1, ATTEMPTS_MAX))
    .option("--timeout <duration>", "longest run of one attempt, such as 10m", timeoutMsOf)
    .option("--dedupe <name>", "only one job of this name is queued or running")
    .option("--source-task-id <id>", "an id of yours, to find it by")
    .option("--idempotency-key <key>", "asked for twice, it is the same job")
    .option("--wait", "wait for its end; exits with 1 if it was not done")
    .option("--output <directory>", "wait, and download the files that it made into there")
    .option("--force", "replace files that are there already")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<SubmitOptions>();
      const input = await readInput(options.input, (message) => command.error(message));
      const { client } = await reach();
      const { idempotencyKey: key } = options;
      const job = requireAnswer(
        await client.POST("/api/jobs", {
          body: submissionOf(command.args[0] ?? "", input, options),
          ...(key === undefined ? {} : { params: { header: { "idempotency-key": key } } }),
        }),
      );
      if (!options.json) await writeOutput(`${job.id}\n`);
      const { wait, output: directory, force = false } = options;
      if (!wait && directory === undefined) {
        if (options.json) await writeJson(job);
        return;
      }
      const ended = await followJob(reach, job.id, jobView(job));
      if (options.json) await writeJson(ended);
      reportEnd(ended);
      if (ended.status !== "done" || directory === undefined) return;
      const paths = await saveResults(await reach(), ended, { directory, force });
      for (const path of paths) process.stderr.write(`saved ${plainText(path)}\n`);
    }),
  );
}

function submissionOf(type: string, input: Record<string, unknown>, options: SubmitOptions) {
  const { key, priority, runAt, attempts, timeout, dedupe, sourceTaskId } = options;
  return {
    ...{ type, input, priority },
    ...(key === undefined ? {} : { key }),
    ...(runAt === undefined ? {} : { run_at: runAt }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(timeout === undefined ? {} : { timeout_ms: timeout }),
    ...(dedupe === undefined ? {} : { dedupe }),
    ...(sourceTaskId === undefined ? {} : { source_task_id: sourceTaskId }),
  };
}

function timeoutMsOf(given: string): number {
  const parsed = Timeout.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message ?? "is not valid"}.`);
}

/** Without a zone it is meant in the zone of this machine. */
function timeOf(given: string): string {
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(given) ? new Date(given) : undefined;
  if (time !== undefined && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError("It must be a time such as 2030-01-31T08:00Z.");
}

// `croft jobs`: a list, one job, and a new one.
import { JobStatus } from "@croft/contract";
import { Command, Option } from "commander";
import { askJob, askJobs, askWhole, type JobFilterOf } from "../ask-jobs.ts";
import { clientAction } from "../client-action.ts";
import { describeJob } from "../describe-job.ts";
import { jobLines, jobTable } from "../job-table.ts";
import { addDataFlags } from "../read-config.ts";
import { createSubmitCommand } from "../submit-command.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface ListOptions {
  readonly status?: JobStatus;
  readonly type?: string;
  readonly key?: string;
  readonly owner?: string;
  readonly sourceTaskId?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 100_000;

export function createCommand(): Command {
  const command = new Command("jobs")
    .argument("[id]", "show this job only")
    .enablePositionalOptions() // `submit` has a --key of its own
    .addOption(new Option("--status <status>", "only these").choices(JobStatus.options))
    .option("--type <type>", "only jobs of this type")
    .option("--key <key>", "only jobs of this lane")
    .option("--owner <owner>", "only jobs of this owner")
    .option("--source-task-id <id>", "only jobs with this id of yours")
    .option("--limit <number>", "at most so many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--json", "as JSON")
    .addCommand(createSubmitCommand());
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<ListOptions>();
      const [id] = command.args;
      const server = await reach();
      if (id !== undefined) {
        const job = await askJob(server, id);
        await (options.json ? writeJson(job) : writeOutput(describeJob(job)));
        return;
      }
      const jobs = await askJobs(server, filterOf(options), options.limit);
      if (options.json) await writeJson(await askWhole(server, jobs));
      else if (!process.stdout.isTTY) await writeOutput(jobLines(jobs));
      else if (jobs.length > 0) await writeOutput(jobTable(jobs, process.stdout.columns));
      else process.stderr.write("No jobs.\n");
    }),
  );
}

function filterOf({ status, type, key, owner, sourceTaskId }: ListOptions): JobFilterOf {
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(key === undefined ? {} : { key }),
    ...(owner === undefined ? {} : { owner }),
    ...(sourceTaskId === undefined ? {} : { source_task_id: sourceTaskId }),
  };
}

// `croft cancel`: what waits ends at once, what runs is asked to.
import { Command } from "commander";
import { clientAction } from "../client-action.ts";
import { eachJob } from "../each-job.ts";
import { jobLines, jobTable } from "../job-table.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("cancel").argument("<id...>", "the jobs").option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const jobs = await eachJob(command.args, async (id) =>
        requireAnswer(await client.POST("/api/jobs/{id}/cancel", { params: { path: { id } } })),
      );
      if (command.opts<{ json?: boolean }>().json) await writeJson(jobs);
      else if (!process.stdout.isTTY) await writeOutput(jobLines(jobs));
      else if (jobs.length > 0) await writeOutput(jobTable(jobs, process.stdout.columns));
    }),
  );
}

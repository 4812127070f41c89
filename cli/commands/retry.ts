// `croft retry`: jobs that have ended, once more, as new ones; or a run, which keeps what succeeded.
import { Command } from "commander";
import { clientAction } from "../client-action.ts";
import { eachJob } from "../each-job.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("retry")
    .argument("<id...>", "jobs or runs")
    .option("--from <step>", "of a run: this step again, and all that need it")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { json = false, from } = command.opts<{ json?: boolean; from?: string }>();
      const { client } = await reach();
      const jobs = await eachJob(command.args, async (id) => {
        const params = { path: { id } };
        const body = from === undefined ? {} : { from };
        const ofRun = await client.POST("/api/runs/{id}/retry", { params, body });
        const isJob = ofRun.response.status === 404 && from === undefined;
        const job = isJob
          ? requireAnswer(await client.POST("/api/jobs/{id}/retry", { params }))
          : requireAnswer(ofRun);
        if (!json) await writeOutput(`${job.id}\n`);
        return job;
      });
      if (json) await writeJson(jobs);
    }),
  );
}

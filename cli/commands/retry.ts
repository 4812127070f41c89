// `croft retry`: jobs that have ended, once more, as new ones.
import { Command } from "commander";
import { clientAction } from "../client-action.ts";
import { eachJob } from "../each-job.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("retry").argument("<id...>", "the jobs").option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { json = false } = command.opts<{ json?: boolean }>();
      const { client } = await reach();
      const jobs = await eachJob(command.args, async (id) => {
        const answer = await client.POST("/api/jobs/{id}/retry", { params: { path: { id } } });
        const job = requireAnswer(answer);
        if (!json) await writeOutput(`${job.id}\n`);
        return job;
      });
      if (json) await writeJson(jobs);
    }),
  );
}

// `croft cancel`: what waits ends at once, what runs is asked to.
import type { Run } from "@croft/contract";
import { Command } from "commander";
import { clientAction } from "../client-action.ts";
import { eachJob } from "../each-job.ts";
import { jobLines, jobTable } from "../job-table.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("cancel")
    .argument("<id...>", "jobs or runs")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const runs: Run[] = [];
      const found = await eachJob(command.args, async (id) => {
        const params = { path: { id } };
        const answer = await client.POST("/api/jobs/{id}/cancel", { params });
        if (answer.response.status !== 404) return requireAnswer(answer);
        const ofRun = await client.POST("/api/runs/{id}/cancel", { params });
        if (ofRun.data === undefined)
          return requireAnswer(ofRun.response.status === 404 ? answer : ofRun);
        runs.push(ofRun.data);
        return undefined;
      });
      const jobs = found.flatMap((job) => job ?? []);
      const isJson = command.opts<{ json?: boolean }>().json === true;
      if (!isJson) await writeOutput(runs.map(({ id }) => `${id} is being cancelled\n`).join(""));
      if (isJson) await writeJson([...jobs, ...runs]);
      else if (!process.stdout.isTTY) await writeOutput(jobLines(jobs));
      else if (jobs.length > 0) await writeOutput(jobTable(jobs, process.stdout.columns));
    }),
  );
}

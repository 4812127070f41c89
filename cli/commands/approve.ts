// `croft approve`: answers a step that waits for a person.
import { Command } from "commander";
import { clientAction } from "../client-action.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("approve")
    .argument("<run>", "the run")
    .argument("<step>", "the step that asks")
    .option("--refuse", "say no instead")
    .option("--json", "the run as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { refuse = false, json = false } = command.opts<{ refuse?: boolean; json?: boolean }>();
      const [id = "", step = ""] = command.args;
      const { client } = await reach();
      const answer = await client.POST("/api/runs/{id}/approve", {
        params: { path: { id } },
        body: { step, approve: !refuse },
      });
      const run = requireAnswer(answer);
      if (json) await writeJson(run);
      else await writeOutput(`${refuse ? "refused" : "approved"}\n`);
    }),
  );
}

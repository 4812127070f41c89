// `croft run`: runs a pipeline, tells what its steps do, and ends as it ends.
import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { clientAction } from "../client-action.ts";
import { followRun, reportRunEnd } from "../follow-run.ts";
import { addDataFlags } from "../read-config.ts";
import { describeFailure } from "../report-failures.ts";
import { requireAnswer } from "../require-answer.ts";
import { stopSignal } from "../stop-signal.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface RunOptions {
  readonly input: Readonly<Record<string, string>>;
  readonly repo?: string;
  readonly ref?: string;
  readonly detach?: boolean;
  readonly json?: boolean;
}

export function createCommand(): Command {
  const command = new Command("run")
    .argument("<file>", "the pipeline")
    .option("-i, --input <name=value>", "an input; may be given several times", collect, {})
    .option("--repo <url>", "the repository, instead of the one that the pipeline names")
    .option("--ref <ref>", "branch, tag or commit")
    .option("--detach", "do not wait for its end")
    .option("--json", "the run as JSON at its end");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<RunOptions>();
      const file = command.args[0] ?? "";
      const text = await readFile(file, "utf8");
      const { input, repo, ref, detach = false, json = false } = options;
      const { client } = await reach();
      const body = {
        ...{ text, file, inputs: input, priority: "normal" as const },
        ...(repo === undefined ? {} : { repository: repo }),
        ...(ref === undefined ? {} : { ref }),
      };
      const run = requireAnswer(await client.POST("/api/runs", { body }));
      if (!json) await writeOutput(`${run.id}\n`);
      if (detach) {
        if (json) await writeJson(run);
        return;
      }
      stopSignal().addEventListener("abort", () => {
        process.stderr.write("croft: cancelling the run; once more leaves it\n");
        const asking = client.POST("/api/runs/{id}/cancel", { params: { path: { id: run.id } } });
        asking.then(requireAnswer).catch((error: unknown) => {
          process.stderr.write(`croft: it could not be cancelled: ${describeFailure(error)}\n`);
        });
      });
      const ended = await followRun(reach, run.id, json);
      if (json) await writeJson(ended);
      reportRunEnd(ended);
    }),
  );
}

function collect(given: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be name=value.");
  }
  return { ...before, [name]: value };
}

// `croft watch`: an app is told what changes in a repository, or no longer.
import { duration } from "@croft/engine";
import { Command, InvalidArgumentError } from "commander";
import { findApp } from "../ask-apps.ts";
import { clientAction } from "../client-action.ts";
import { describeWatch } from "../describe-watch.ts";
import { eachJob } from "../each-job.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer, requireSuccess } from "../require-answer.ts";
import { createWatchList } from "../watch-list-command.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface AddOptions {
  readonly app: string;
  readonly ref?: string;
  readonly credential?: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly poll?: number;
  readonly json?: boolean;
}

export function createCommand(): Command {
  return new Command("watch")
    .addCommand(createAdd())
    .addCommand(createWatchList())
    .addCommand(createRemove());
}

function createAdd(): Command {
  const command = new Command("add")
    .description("Watch a repository; the same one and ref again is the same watch")
    .argument("<url>", "an https or ssh address")
    .requiredOption("--app <app>", "who is told, by its id or name")
    .option("--ref <ref>", "a branch or tag; without it the remote's default branch")
    .option("--credential <id>", "one of the app's; without it the one that fits best")
    .option("--include <glob>", "only these files; may be said several times", also, [])
    .option("--exclude <glob>", "not these; may be said several times", also, [])
    .option("--poll <duration>", "how often the remote is asked, such as 30s or 10m", seconds)
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { json, app, ref, credential, include, exclude, poll } = command.opts<AddOptions>();
      const server = await reach();
      const body = {
        ...{ app: await findApp(server, app), url: command.args[0] ?? "" },
        ...{ include: [...include], exclude: [...exclude] },
        ...(ref === undefined ? {} : { ref }),
        ...(credential === undefined ? {} : { credential }),
        ...(poll === undefined ? {} : { poll }),
      };
      const asked = await server.client.POST("/api/repositories", { body });
      const watch = requireAnswer(asked);
      if (asked.response.status === 200) process.stderr.write("It was watched already.\n");
      await (json ? writeJson(watch) : writeOutput(describeWatch(watch)));
    }),
  );
}

function createRemove(): Command {
  const command = new Command("remove")
    .description("Watch no longer; what was still to be sent is not sent")
    .argument("<ids...>", "the watches");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      await eachJob(command.args, async (id) =>
        requireSuccess(await client.DELETE("/api/repositories/{id}", { params: { path: { id } } })),
      );
    }),
  );
}

function also(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function seconds(text: string): number {
  const parsed = duration("5s", "7d").safeParse(text);
  if (parsed.success) return Math.round(parsed.data / 1000);
  throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => message).join("; "));
}

// `croft repos`: watched repositories, what is in them, and every file once more.
import type { Watch, WatchFile } from "@croft/contract";
import { Command } from "commander";
import { askFiles, askWatch, type FileFilter } from "../ask-watches.ts";
import { clientAction } from "../client-action.ts";
import { describeWatch, fileLines } from "../describe-watch.ts";
import { eachJob } from "../each-job.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { createWatchList } from "../watch-list-command.ts";
import { writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  return new Command("repos")
    .addCommand(createWatchList(), { isDefault: true })
    .addCommand(createShow())
    .addCommand(createFiles())
    .addCommand(createResync());
}

function createShow(): Command {
  const command = new Command("show")
    .description("Show a watched repository")
    .argument("<id>", "the watch")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const watch = await askWatch(await reach(), command.args[0] ?? "");
      await (command.opts()["json"] ? writeJson(watch) : writeOutput(describeWatch(watch)));
    }),
  );
}

function createFiles(): Command {
  const command = new Command("files")
    .description("List the files that its app was told of: mode, blob, size, path")
    .argument("<id>", "the watch")
    .argument("[prefix]", "what their paths begin with")
    .option("--search <text>", "a part of the path")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [id = "", prefix] = command.args;
      const { search, json } = command.opts<FileFilter & { readonly json?: boolean }>();
      const all: WatchFile[] = [];
      for await (const files of askFiles(await reach(), id, { prefix, search })) {
        if (json) all.push(...files);
        else await writeOutput(fileLines(files));
      }
      if (json) await writeJson(all);
    }),
  );
}

function createResync(): Command {
  const command = new Command("resync")
    .description("Send every file of watched repositories to their apps again")
    .argument("<ids...>", "the watches")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const asked = await eachJob<Watch>(command.args, async (id) =>
        requireAnswer(
          await client.POST("/api/repositories/{id}/resync", { params: { path: { id } } }),
        ),
      );
      if (command.opts()["json"]) await writeJson(asked);
    }),
  );
}

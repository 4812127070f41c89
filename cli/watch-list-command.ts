// A list of watched repositories: what `croft repos` and `croft watch list` both show.
import { WatchState } from "@croft/contract";
import { Command, Option } from "commander";
import { askWatches, type WatchFilter } from "./ask-watches.ts";
import { clientAction } from "./client-action.ts";
import { watchTable } from "./describe-watch.ts";
import { addDataFlags } from "./read-config.ts";
import { writeJson, writeOutput } from "./write-output.ts";

export function createWatchList(): Command {
  const command = new Command("list")
    .description("List watched repositories, newest first")
    .argument("[search]", "a part of the address")
    .option("--app <app>", "only those of this app, by its id or name")
    .addOption(new Option("--state <state>", "only these").choices(WatchState.options))
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { json, ...filter } = command.opts<WatchFilter & { readonly json?: boolean }>();
      const watches = await askWatches(await reach(), { ...filter, search: command.args[0] });
      if (json) await writeJson(watches);
      else if (watches.length > 0) await writeOutput(watchTable(watches));
      else process.stderr.write("No watched repositories.\n");
    }),
  );
}

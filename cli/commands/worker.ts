// `croft worker`.
import { Command } from "commander";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";
import { stopSignal } from "../stop-signal.ts";
import { work } from "../work.ts";

export function createCommand(version: string): Command {
  const command = addSettingFlags(new Command("worker"));
  return command.action(
    reportFailures(async () => {
      const stop = stopSignal();
      const { config, project } = await readConfig(command);
      await work(config, { version, project, stop });
    }),
  );
}

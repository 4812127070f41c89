// `croft serve`.
import { Command, Option } from "commander";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";
import { serve } from "../serve.ts";
import { stopSignal } from "../stop-signal.ts";

export function createCommand(version: string): Command {
  const command = addSettingFlags(new Command("serve")).addOption(
    new Option("--started-by-run", "end when idle").hideHelp(),
  );
  return command.action(
    reportFailures(async () => {
      const stop = stopSignal();
      const { config, project, triggers } = await readConfig(command);
      const { startedByRun: isStartedByRun = false } = command.opts<{ startedByRun?: boolean }>();
      await serve(config, { version, project, triggers, stop, isStartedByRun });
    }),
  );
}

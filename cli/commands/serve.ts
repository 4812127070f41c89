// `croft serve`.
import { Command } from "commander";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";
import { serve } from "../serve.ts";
import { stopSignal } from "../stop-signal.ts";

export function createCommand(version: string): Command {
  const command = addSettingFlags(new Command("serve"));
  return command.action(
    reportFailures(async () => {
      const stop = stopSignal();
      const { config } = await readConfig(command);
      await serve(config, { version, stop });
    }),
  );
}

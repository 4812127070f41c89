// `croft config`: the effective configuration, with secrets masked.
import { describeConfig } from "@croft/engine";
import { Command } from "commander";
import pc from "picocolors";
import { addSettingFlags, readConfig } from "../read-config.ts";

export function configCommand(): Command {
  const command = new Command("config")
    .description("Print every setting, its value and where it came from")
    .option("--json", "as JSON");
  return addSettingFlags(command).action(async ({ json }: { json?: boolean }) => {
    const described = describeConfig(await readConfig(command));
    if (json) {
      process.stdout.write(`${JSON.stringify(described, null, 2)}\n`);
      return;
    }
    const nameWidth = Math.max(...described.map(({ setting }) => setting.length));
    const valueWidth = Math.max(...described.map(({ value }) => String(value ?? "-").length));
    for (const { setting, value, origin } of described) {
      const shown = String(value ?? "-").padEnd(valueWidth);
      process.stdout.write(`${setting.padEnd(nameWidth)}  ${shown}  ${pc.dim(origin)}\n`);
    }
  });
}

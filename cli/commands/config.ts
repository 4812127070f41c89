// `croft config`: the effective configuration, with secrets masked.
import { type DescribedSetting, describeConfig } from "@croft/engine";
import { Command } from "commander";
import pc from "picocolors";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";

export function createCommand(): Command {
  const command = addSettingFlags(new Command("config").option("--json", "as JSON"));
  return command.action(
    reportFailures(async () => {
      const described = describeConfig(await readConfig(command));
      const isJson = command.opts<{ json?: boolean }>().json === true;
      process.stdout.write(isJson ? `${JSON.stringify(described, null, 2)}\n` : tableOf(described));
    }),
  );
}

function tableOf(described: readonly DescribedSetting[]): string {
  const nameWidth = Math.max(...described.map(({ setting }) => setting.length));
  const valueWidth = Math.max(...described.map(({ value }) => String(value ?? "-").length));
  const rows = described.map(({ setting, value, origin }) => {
    const shown = String(value ?? "-").padEnd(valueWidth);
    return `${setting.padEnd(nameWidth)}  ${shown}  ${pc.dim(origin)}\n`;
  });
  return rows.join("");
}

// `croft doctor`: what this machine offers Croft, and what to do where it is too little.
import { type Check, type Diagnosis, diagnose } from "@croft/engine";
import { Command } from "commander";
import pc from "picocolors";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";
import { stopSignal } from "../stop-signal.ts";

export function createCommand(): Command {
  const command = addSettingFlags(new Command("doctor").option("--json", "as JSON"));
  return command.action(
    reportFailures(async () => {
      const stop = stopSignal(); // Ctrl-C must not leave a mount behind
      const { config } = await readConfig(command);
      const diagnosis = await diagnose(config, stop);
      const isJson = command.opts<{ json?: boolean }>().json === true;
      process.stdout.write(isJson ? `${JSON.stringify(diagnosis, null, 2)}\n` : linesOf(diagnosis));
      process.exitCode = diagnosis.ok ? 0 : 1;
    }),
  );
}

function linesOf({ checks }: Diagnosis): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map((check) => lineOf(check, width)).join("");
}

function lineOf({ name, outcome, detail, advice }: Check, width: number): string {
  const signs = { ok: pc.green("✓"), warning: pc.yellow("!"), failed: pc.red("✗") };
  const line = `${signs[outcome]} ${name.replaceAll("-", " ").padEnd(width)}  ${detail}\n`;
  return advice === undefined ? line : `${line}  ${" ".repeat(width)}  ${pc.dim(`→ ${advice}`)}\n`;
}

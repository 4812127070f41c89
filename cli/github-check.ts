// `croft github check`: whether GitHub and this Croft are set up for each other, and what to do where they are not.
import type { GithubCheck } from "@croft/contract";
import { Command } from "commander";
import pc from "picocolors";
import { clientAction } from "./client-action.ts";
import { addDataFlags } from "./read-config.ts";
import { requireAnswer } from "./require-answer.ts";
import { plainText } from "./terminal-text.ts";
import { writeJson, writeOutput } from "./write-output.ts";

export function createCheck(): Command {
  const command = new Command("check")
    .description("Prove the configuration of the GitHub App against GitHub")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const diagnosis = requireAnswer(await client.POST("/api/github/check"));
      if (command.opts()["json"]) await writeJson(diagnosis);
      else await writeOutput(linesOf(diagnosis.checks));
      process.exitCode = diagnosis.ok ? 0 : 1;
    }),
  );
}

function linesOf(checks: readonly GithubCheck[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map((check) => lineOf(check, width)).join("");
}

function lineOf({ name, outcome, detail, advice }: GithubCheck, width: number): string {
  const signs = { ok: pc.green("✓"), warning: pc.yellow("!"), failed: pc.red("✗") };
  const line = `${signs[outcome]} ${name.replaceAll("-", " ").padEnd(width)}  ${plainText(detail)}\n`;
  return advice === null
    ? line
    : `${line}  ${" ".repeat(width)}  ${pc.dim(`→ ${plainText(advice)}`)}\n`;
}

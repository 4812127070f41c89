// `croft validate`: whether pipeline files are right, and where not. Needs no server.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Problem, problemText } from "@croft/pipeline";
import { Command } from "commander";
import pc from "picocolors";
import { reportFailures } from "../report-failures.ts";
import { plainText } from "../terminal-text.ts";
import { type FileReport, validateFiles } from "../validate-files.ts";
import { guardOutput, writeJson, writeOutput } from "../write-output.ts";

export function createCommand(): Command {
  const command = new Command("validate")
    .argument("[files...]", "pipeline files; .croft/*.yaml and croft.yaml without")
    .option("--json", "as JSON");
  return command.action(
    reportFailures(async () => {
      guardOutput();
      const files = command.args.length > 0 ? command.args : await pipelinesHere();
      if (files.length === 0) {
        process.stderr.write("croft: no pipelines here: neither .croft/*.yaml nor croft.yaml\n");
        process.exitCode = 1;
        return;
      }
      const reports = await validateFiles(files);
      const isRight = reports.every(({ problems }) => problems.length === 0);
      if (command.opts<{ json?: boolean }>().json === true) {
        await writeJson({ ok: isRight, files: reports });
      } else {
        await writeOutput(reports.map(linesOf).join(""));
        process.stderr.write(summaryOf(reports));
      }
      process.exitCode = isRight ? 0 : 1;
    }),
  );
}

async function pipelinesHere(): Promise<string[]> {
  const isPipeline = (name: string) => /\.ya?ml$/.test(name);
  const own = (await namesIn(".croft")).filter(isPipeline).map((name) => join(".croft", name));
  const atRoot = (await namesIn(".")).filter((name) => /^croft\.ya?ml$/.test(name));
  return [...own.sort(), ...atRoot.sort()];
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** What files say is printed as text: it may hold what a terminal would obey. */
function linesOf({ problems, warnings }: FileReport): string {
  const mark = (problem: Problem, word: string) =>
    plainText(problemText({ ...problem, message: `${word}${problem.message}` }));
  return [
    ...problems.map((problem) => `${mark(problem, "")}\n`),
    ...warnings.map((warning) => `${mark(warning, "warning: ")}\n`),
  ].join("");
}

function summaryOf(reports: readonly FileReport[]): string {
  const wrong = reports.reduce((sum, { problems }) => sum + problems.length, 0);
  const doubtful = reports.reduce((sum, { warnings }) => sum + warnings.length, 0);
  const counts = [
    count(reports.length, "file"),
    count(wrong, "problem"),
    ...(doubtful === 0 ? [] : [count(doubtful, "warning")]),
  ];
  return `${wrong === 0 ? pc.green("✓") : pc.red("✗")} ${counts.join(", ")}\n`;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

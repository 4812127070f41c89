#!/usr/bin/env node
// The `croft` command: parses the command line and runs one command.
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { configCommand } from "./commands/config.ts";
import { loginCommand } from "./commands/login.ts";
import { serveCommand } from "./commands/serve.ts";
import { reportFailure } from "./report-failure.ts";

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

const program = new Command("croft")
  .description("Runs jobs on git repositories")
  .version(version)
  .showHelpAfterError("(croft --help lists the commands)")
  .addCommand(serveCommand(version))
  .addCommand(configCommand())
  .addCommand(loginCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}

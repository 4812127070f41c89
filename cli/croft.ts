#!/usr/bin/env node
// The `croft` command: finds out which command is meant and loads that one only.
import { readFileSync } from "node:fs";
import { Command } from "commander";

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** Each is a bundle of its own, so that a command does not wait for code it has no use for. */
const commands: Record<string, () => Promise<{ createCommand(version: string): Command }>> = {
  serve: () => import("./commands/serve.ts"),
  config: () => import("./commands/config.ts"),
  login: () => import("./commands/login.ts"),
};
const descriptions: Record<keyof typeof commands, string> = {
  serve: "Start the server",
  config: "Print every setting, its value and where it came from",
  login: "Print where to sign in, or a new one-time link while there is no admin",
};

const program = new Command("croft")
  .description("Runs jobs on git repositories")
  .version(version)
  .showHelpAfterError("(croft --help lists the commands)");
const meant = process.argv.slice(2).find((word) => Object.hasOwn(commands, word));
for (const [name, load] of Object.entries(commands)) {
  const command = name === meant ? (await load()).createCommand(version) : new Command(name);
  program.addCommand(command.description(descriptions[name] ?? ""));
}
await program.parseAsync();

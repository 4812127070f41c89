#!/usr/bin/env node
// The `croft` command: finds out which command is meant and loads that one only.
import { readFileSync } from "node:fs";
import { Command, type CommanderError } from "commander";

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

/** Each is a bundle of its own, so that a command does not wait for code it has no use for. */
const commands: Record<string, () => Promise<{ createCommand(version: string): Command }>> = {
  serve: () => import("./commands/serve.ts"),
  worker: () => import("./commands/worker.ts"),
  run: () => import("./commands/run.ts"),
  approve: () => import("./commands/approve.ts"),
  validate: () => import("./commands/validate.ts"),
  jobs: () => import("./commands/jobs.ts"),
  runs: () => import("./commands/runs.ts"),
  logs: () => import("./commands/logs.ts"),
  cancel: () => import("./commands/cancel.ts"),
  retry: () => import("./commands/retry.ts"),
  repos: () => import("./commands/repos.ts"),
  watch: () => import("./commands/watch.ts"),
  deliveries: () => import("./commands/deliveries.ts"),
  apps: () => import("./commands/apps.ts"),
  assets: () => import("./commands/assets.ts"),
  secrets: () => import("./commands/secrets.ts"),
  github: () => import("./commands/github.ts"),
  config: () => import("./commands/config.ts"),
  login: () => import("./commands/login.ts"),
  doctor: () => import("./commands/doctor.ts"),
};
const descriptions: Record<keyof typeof commands, string> = {
  serve: "Start the server",
  worker: "Start a worker alone, beside a server or on the database of DATABASE_URL",
  run: "Run a pipeline, and end as it ends",
  approve: "Answer a step of a run that waits for a person",
  validate: "Check pipeline files, and say where they are wrong",
  jobs: "List jobs, show one, or submit one",
  runs: "List runs of pipelines, or show one with its steps",
  logs: "Print the log of a job, or follow it",
  cancel: "Cancel jobs or runs",
  retry: "Submit jobs that have ended once more, or go on with a run",
  repos: "List watched repositories, show one, its files, or send them again",
  watch: "Tell an app what changes in a repository, or no longer",
  deliveries: "List what was sent to apps, show one, or send it once more",
  apps: "Onboard, list, pause, ping or remove apps, and change their keys",
  assets: "List, download, upload or remove stored files",
  secrets: "Set, list or remove secrets; encrypt them with a new key",
  github: "List events of GitHub, show one or handle it once more; list installations",
  config: "Print every setting, its value and where it came from",
  login: "Print where to sign in, or a new one-time link while there is no admin",
  doctor: "Try what this machine allows, and say what to do where it is too little",
};

const program = new Command("croft")
  .description("Runs jobs on git repositories")
  .version(version)
  .showHelpAfterError("(croft --help lists the commands)")
  .enablePositionalOptions() // what stands behind a command belongs to it, and to no command above
  .exitOverride(exit);
const meant = process.argv.slice(2).find((word) => Object.hasOwn(commands, word));
for (const [name, load] of Object.entries(commands)) {
  const command = name === meant ? (await load()).createCommand(version) : new Command(name);
  for (const each of [command, ...command.commands]) each.exitOverride(exit);
  program.addCommand(command.description(descriptions[name] ?? ""));
}
await program.parseAsync();

/** A wrong command line is told apart from a failure. */
function exit({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2);
}

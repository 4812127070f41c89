// Settings as flags of a command, and the configuration that results.
import { homedir } from "node:os";
import { join } from "node:path";
import { type LoadedConfig, loadConfig, type PersonalPlaces, settings } from "@croft/engine";
import { type Command, Option } from "commander";

/** Adds a flag for every setting that is no secret. */
export function addSettingFlags(command: Command): Command {
  command.option("--config <file>", "configuration file, else croft.config.ts of this directory");
  for (const { flag, isBoolean, description, defaultText, env } of settings) {
    if (flag === undefined) continue;
    const text = `${description} (${env}${defaultText === "" ? "" : `, default ${defaultText}`})`;
    command.addOption(new Option(isBoolean ? flag : `${flag} <value>`, text.replaceAll("`", "")));
  }
  return command;
}

/** For a command that asks a server: only where to find it. */
export function addDataFlags(command: Command): Command {
  return command
    .option("--config <file>", "configuration file, else croft.config.ts of this directory")
    .option("--data <value>", "data directory of the server (CROFT_DATA)");
}

/** With `readRemote` the only reader of the environment. */
export async function readConfig(command: Command): Promise<LoadedConfig> {
  const options = command.optsWithGlobals<Record<string, string | boolean | undefined>>();
  const flags: Record<string, string | boolean> = {};
  for (const { path, flag } of settings) {
    const value = flag === undefined ? undefined : options[attributeOf(flag)];
    if (value !== undefined) flags[path] = value;
  }
  const file = options["config"];
  return await loadConfig({
    flags,
    env: process.env,
    directory: process.cwd(),
    file: typeof file === "string" ? file : undefined,
    uid: process.getuid?.(),
    home: homedir(),
  });
}

export interface Remote {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** A server elsewhere, and who asks it. A token has no flag: every user of a machine can read command lines. */
export function readRemote(): Remote {
  const { CROFT_URL: url = "", CROFT_TOKEN: token = "" } = process.env;
  return { url: url || undefined, token: token || undefined };
}

/** Where this user has settings of other programs. */
export function personalPlaces(): PersonalPlaces {
  const home = homedir();
  return { home, configHome: process.env["XDG_CONFIG_HOME"] || join(home, ".config") };
}

/** One that can only write lines. */
export function isDumbTerminal(): boolean {
  return process.env["TERM"] === "dumb";
}

/** Of the server that `croft run` starts: ours, but for what tells where and as whom this command asks. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { CROFT_URL: _url, CROFT_TOKEN: _token, ...rest } = process.env;
  return rest;
}

/** commander's name for a flag: `--http-port` is `httpPort`. */
function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

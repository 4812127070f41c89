// Settings as flags of a command, and the configuration that results.
import { homedir } from "node:os";
import { type LoadedConfig, loadConfig, settings } from "@croft/engine";
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

/** The only reader of the environment. */
export async function readConfig(command: Command): Promise<LoadedConfig> {
  const options = command.opts<Record<string, string | boolean | undefined>>();
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

/** commander's name for a flag: `--http-port` is `httpPort`. */
function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

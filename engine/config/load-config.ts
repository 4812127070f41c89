// Reads the configuration once, from flags, environment, croft.config.ts and defaults, in that order of strength.
import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { EngineError } from "../engine-error.ts";
import { type ProjectTrigger, requireTriggers } from "../github/project-triggers.ts";
import { type Project, requireHandlers } from "../handlers/project-handlers.ts";
import { checkAssetSettings } from "./asset-settings.ts";
import { checkTimeouts } from "./check-timeouts.ts";
import { Config } from "./config.ts";
import {
  type ConfigFile,
  findConfigFile,
  importConfigFile,
  requireTrusted,
} from "./config-file.ts";
import { checkGithubSettings } from "./github-settings.ts";
import { nearestName } from "./nearest-name.ts";
import { type Setting, settings } from "./settings.ts";

export interface ConfigSources {
  /** Values of flags by setting path, as commander collected them. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** Path given by `--config`; else the file is looked for in `directory`. */
  readonly file?: string | undefined;
  readonly uid: number | undefined;
  readonly home: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What was said and where (a flag, a variable, a file), by setting path; defaults are absent. */
  readonly given: ReadonlyMap<string, GivenValue>;
  /** The configuration file, if there was one. */
  readonly file: string | undefined;
  /** Its handlers, if it has any. */
  readonly project: Project | undefined;
  /** Which events of GitHub start what. */
  readonly triggers: readonly ProjectTrigger[];
}

export interface GivenValue {
  readonly value: unknown;
  readonly origin: string;
}

type Tree = Record<string, unknown>;

export async function loadConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const given = new Map<string, GivenValue>();
  const tree: Tree = {};
  const put = (path: string, value: unknown, origin: string) => {
    setAt(tree, path, value);
    given.set(path, { value, origin });
  };

  const file = chosenFile(sources);
  const imported = file === undefined ? undefined : await importConfigFile(file);
  const { settings: said, handlers, triggers: wanted } = partsOf(imported);
  if (file !== undefined) for (const [path, value] of flatten(said, file)) put(path, value, file);
  for (const { setting, value, origin } of fromEnvironment(sources.env))
    put(setting, value, origin);
  for (const setting of settings) {
    const value = sources.flags[setting.path];
    if (value !== undefined) put(setting.path, value, setting.flag ?? setting.path);
  }

  const parsed = Config.safeParse(tree);
  if (!parsed.success) {
    throw invalid(
      parsed.error.issues.flatMap((issue) => {
        const path = issue.path.join(".");
        return `${path} ${messageOf(issue.message)}${originText(given.get(path))}`;
      }),
    );
  }
  const data = resolve(sources.directory, parsed.data.data ?? defaultDataDirectory(sources));
  const config: Config = { ...parsed.data, data };
  const violations = [
    ...[...checkTimeouts(config), ...checkAssetSettings(config.assets)],
    ...checkGithubSettings(config.github),
  ];
  if (violations.length > 0) throw invalid(violations);
  const project = projectOf(imported, handlers, sources.env, config);
  const triggers = ofFile(file, () => requireTriggers(wanted));
  return { config: deepFreeze(config), given, file, project, triggers };
}

/** What is no setting: a handler is a program, a trigger a rule; neither has a variable or a flag. */
function partsOf(imported: ConfigFile | undefined) {
  const { exported } = imported ?? {};
  if (typeof exported !== "object" || exported === null || Array.isArray(exported)) {
    return { settings: exported, handlers: undefined, triggers: undefined };
  }
  const { handlers, triggers, ...rest } = exported as Readonly<Record<string, unknown>>;
  return { settings: rest, handlers, triggers };
}

function projectOf(
  imported: ConfigFile | undefined,
  value: unknown,
  env: ConfigSources["env"],
  { handler }: Config,
): Project | undefined {
  if (imported === undefined || value === undefined) return undefined;
  const { file, code } = imported;
  const handlers = ofFile(file, () => requireHandlers(value));
  const environment = Object.fromEntries(
    handler.environment.flatMap((name) => {
      const given = env[name];
      return given === undefined ? [] : [[name, given]];
    }),
  );
  return handlers.size === 0 ? undefined : { file, code, handlers, environment };
}

function ofFile<T>(file: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid([`${reason} (${file})`]);
  }
}

function chosenFile({ directory, file, env, uid }: ConfigSources): string | undefined {
  const named = file ?? (env["CROFT_CONFIG"] || undefined);
  if (named !== undefined) return resolve(directory, named);
  const found = findConfigFile(directory);
  if (found !== undefined) requireTrusted(found, uid);
  return found;
}

function defaultDataDirectory({ uid, home, env }: ConfigSources): string {
  if (uid === 0) return "/var/lib/croft";
  const base = env["XDG_DATA_HOME"];
  return resolve(base !== undefined && isAbsolute(base) ? base : `${home}/.local/share`, "croft");
}

/** Turns the object of croft.config.ts into paths and values, and refuses names that no setting has. */
function flatten(value: unknown, file: string): [string, unknown][] {
  const known = settings.map(({ path }) => path);
  const groups = [...new Set(known.map((path) => path.split(".")[0] ?? ""))];
  const isGroup = (path: string) =>
    path === "" || known.some((name) => name.startsWith(`${path}.`));
  const walk = (node: unknown, path: string): [string, unknown][] => {
    if (!isGroup(path)) {
      if (!known.includes(path))
        throw unknownName(path, [...known, ...groups, "handlers", "triggers"], file);
      return [[path, node]];
    }
    if (typeof node !== "object" || node === null || Array.isArray(node)) {
      throw invalid([`${path === "" ? "the default export" : path} must be an object (${file})`]);
    }
    return Object.entries(node)
      .filter(([, child]) => child !== undefined)
      .flatMap(([key, child]) => walk(child, path === "" ? key : `${path}.${key}`));
  };
  return walk(value, "");
}

/** Variables that begin with CROFT_ but are no settings; the last two tell the command which server to ask, and as whom. */
const OTHER_VARIABLES = ["CROFT_CONFIG", "CROFT_URL", "CROFT_TOKEN"];

function fromEnvironment(env: ConfigSources["env"]) {
  const found: { setting: string; value: string; origin: string }[] = [];
  const names = settings.flatMap(({ env: name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
  for (const name of Object.keys(env)) {
    if (name.startsWith("CROFT_") && !names.includes(name) && !OTHER_VARIABLES.includes(name)) {
      throw unknownName(name, [...names, ...OTHER_VARIABLES], "environment");
    }
  }
  for (const setting of settings) {
    const { value, origin } = variableOf(setting, env);
    if (value !== undefined && value !== "") found.push({ setting: setting.path, value, origin });
  }
  return found;
}

/** A secret may also be read from a file, as container platforms provide it: `CROFT_METRICS_TOKEN_FILE=/run/…`. */
function variableOf(setting: Setting, env: ConfigSources["env"]) {
  const fileVariable = `${setting.env}_FILE`;
  const file = setting.secret ? env[fileVariable] : undefined;
  if (file !== undefined && file !== "") {
    return { value: readSecretFile(file, fileVariable), origin: fileVariable };
  }
  if (setting.path === "database.url" && !env[setting.env]) {
    return { value: env["DATABASE_URL"], origin: "DATABASE_URL" };
  }
  return { value: env[setting.env], origin: setting.env };
}

function readSecretFile(file: string, variable: string): string {
  let value: string;
  try {
    value = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new EngineError("config-invalid", `cannot read '${file}' named by ${variable}`, {
      cause: error,
    });
  }
  // An empty one must not count as absent: Croft would quietly start on another database.
  if (value === "") throw invalid([`'${file}' named by ${variable} is empty`]);
  return value;
}

function setAt(tree: Tree, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let node = tree;
  for (const key of keys) {
    node[key] ??= {};
    node = node[key] as Tree;
  }
  node[last] = value;
}

function unknownName(name: string, known: readonly string[], where: string): EngineError {
  const meant = nearestName(name, known);
  const way = meant === undefined ? "'croft config' lists all" : `did you mean '${meant}'?`;
  return invalid([`unknown setting '${name}' in ${where}; ${way}`]);
}

function invalid(lines: readonly string[]): EngineError {
  return new EngineError("config-invalid", `invalid configuration: ${lines.join("; ")}`);
}

function messageOf(message: string): string {
  return message.startsWith("must ") ? message : `is not valid: ${message}`;
}

function originText(given: GivenValue | undefined): string {
  return given === undefined ? "" : ` (from ${given.origin})`;
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (typeof child === "object" && child !== null) deepFreeze(child);
  }
  return Object.freeze(value);
}

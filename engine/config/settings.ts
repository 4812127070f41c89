// The flat list of settings with the names they have in the environment and on the command line.
import { z } from "zod";
import { Config } from "./config.ts";

export interface Setting {
  /** As in croft.config.ts: `http.port`. */
  readonly path: string;
  /** `CROFT_HTTP_PORT`. */
  readonly env: string;
  /** `--http-port`; a secret has none, because every user of the machine can read a command line. */
  readonly flag: string | undefined;
  readonly description: string;
  readonly default: unknown;
  /** For the table in the docs; a default that depends on the machine is told in words. */
  readonly defaultText: string;
  readonly secret: boolean;
  readonly isBoolean: boolean;
}

interface SchemaNode {
  readonly properties?: Record<string, SchemaNode>;
  readonly anyOf?: readonly { readonly type?: string }[];
  readonly description?: string;
  readonly default?: unknown;
  readonly defaultText?: string;
  readonly secret?: boolean;
}

/** Read from the schema itself, so that a new setting cannot be forgotten anywhere. */
export const settings: readonly Setting[] = Object.freeze(
  leavesOf(z.toJSONSchema(Config, { io: "input" }) as SchemaNode, []),
);

function leavesOf(node: SchemaNode, path: readonly string[]): Setting[] {
  if (node.properties === undefined) return [settingOf(node, path)];
  return Object.entries(node.properties).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function settingOf(node: SchemaNode, path: readonly string[]): Setting {
  const words = path.flatMap((key) => key.split(/(?=[A-Z])/).map((word) => word.toLowerCase()));
  return {
    path: path.join("."),
    env: `CROFT_${words.join("_").toUpperCase()}`,
    flag: node.secret === true ? undefined : `--${words.join("-")}`,
    description: node.description ?? "",
    default: node.default,
    defaultText: node.defaultText ?? (node.default === undefined ? "" : `\`${node.default}\``),
    secret: node.secret === true,
    isBoolean: node.anyOf?.some(({ type }) => type === "boolean") === true,
  };
}

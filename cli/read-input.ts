// The input of a job as a command line gives it: JSON, a file, stdin, or single fields.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

type Input = Record<string, unknown>;

const FIELD = /^([A-Za-z_][\w.-]*)(:?=)([\s\S]*)$/;

/**
 * Each one adds to those before it: `@file` or `-` or a JSON object, `name=text`, `name:=json`. `refuse` ends the command as
 * one that was not written well.
 */
export async function readInput(
  given: readonly string[],
  refuse: (message: string) => never,
): Promise<Input> {
  const input: Input = {};
  for (const each of given) {
    const added = fieldOf(each, refuse) ?? (await objectOf(each, refuse));
    for (const [name, value] of Object.entries(added)) {
      Object.defineProperty(input, name, {
        ...{ value, enumerable: true, configurable: true, writable: true }, // also one named __proto__
      });
    }
  }
  return input;
}

function fieldOf(given: string, refuse: (message: string) => never): Input | undefined {
  const [, name, sign, value = ""] = FIELD.exec(given) ?? [];
  if (name === undefined) return undefined;
  if (sign === "=") return { [name]: value };
  try {
    return { [name]: JSON.parse(value) };
  } catch (error) {
    return refuse(`error: the input '${name}' is no JSON: ${reasonOf(error)}`);
  }
}

async function objectOf(given: string, refuse: (message: string) => never): Promise<Input> {
  const source =
    given === "-" ? "stdin" : given.startsWith("@") ? `'${given.slice(1)}'` : "--input";
  let value: unknown;
  try {
    value = JSON.parse(await readText(given));
  } catch (error) {
    return refuse(`error: the input cannot be read from ${source}: ${reasonOf(error)}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Input;
  return refuse(`error: the input from ${source} must be a JSON object`);
}

async function readText(given: string): Promise<string> {
  if (given === "-") return await text(process.stdin);
  return given.startsWith("@") ? await readFile(given.slice(1), "utf8") : given;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

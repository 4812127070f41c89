// Handlers of a project: job types that its croft.config.ts adds.
import type { InputSchema } from "../jobs/input-schema.ts";
import type { HandlerContext } from "./handler-context.ts";

export interface Handler<Input = unknown> {
  /** For whoever chooses among the job types. */
  readonly description?: string | undefined;
  /** Checked beside the server when a job is submitted, and read once more where the handler runs. */
  readonly input: InputSchema<Input>;
  /** What it returns is the job's result, and must be JSON. */
  run(context: HandlerContext<Input>): unknown;
}

export type Handlers = ReadonlyMap<string, Handler>;

/** A croft.config.ts with handlers. */
export interface Project {
  readonly file: string;
  /** All of it as one module of JavaScript, for the processes in which the handlers run. It may have secrets in it. */
  readonly code: string;
  readonly handlers: Handlers;
  /** The variables that these processes get of the server's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** As in the contract: what a submission may name. */
const NAME = /^[a-z][a-z0-9_.-]{0,63}$/;
const MEMBERS = ["description", "input", "run"];
const DESCRIPTION_LENGTH_MAX = 1000;

/** Throws with what is wrong with them. */
export function requireHandlers(value: unknown): Handlers {
  if (value === undefined) return new Map();
  if (!isObject(value)) throw new Error("handlers must be an object of handlers by their names");
  return new Map(
    Object.entries(value).map(([name, handler]) => [name, requireHandler(name, handler)]),
  );
}

function requireHandler(name: string, handler: unknown): Handler {
  const wrong = (what: string) => new Error(`handlers.${name} ${what}`);
  if (!NAME.test(name)) {
    throw wrong(
      "must have a name of small letters, digits, '.', '_' and '-', at most 64, that begins with a letter",
    );
  }
  if (!isObject(handler)) throw wrong("must be what defineHandler returns");
  const unknown = Object.keys(handler).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw wrong(`has an unknown member '${unknown}'; there are: ${MEMBERS.join(", ")}`);
  }
  const { description, input, run } = handler;
  if (typeof run !== "function") throw wrong("must have a function 'run'");
  if (!isInputSchema(input)) throw wrong("must have a schema 'input', such as z.object({ … })");
  if (description !== undefined && typeof description !== "string") {
    throw wrong("must have a text as 'description'");
  }
  if (description !== undefined && description.length > DESCRIPTION_LENGTH_MAX) {
    throw wrong(`must have a 'description' of at most ${DESCRIPTION_LENGTH_MAX} characters`);
  }
  return handler as unknown as Handler;
}

function isInputSchema(value: unknown): value is InputSchema {
  const canBe = isObject(value) || typeof value === "function"; // some libraries have callable ones
  if (!canBe) return false;
  const standard = (value as { "~standard"?: { validate?: unknown } })["~standard"];
  return typeof standard?.validate === "function";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

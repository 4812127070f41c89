// What the words of a trigger come to for one event: texts with expressions in them, and how much they may make.
import { Name, storableJson } from "@croft/contract";
import { ExpressionWork, evaluateTemplate, evaluateText, type JsonValue } from "@croft/pipeline";
import { EngineError } from "../engine-error.ts";
import type { GithubEvent } from "./github-event.ts";

export interface EventContext {
  readonly event: JsonValue;
  readonly work: ExpressionWork;
}

export type Values = Readonly<Record<string, unknown>>;

/** For one trigger: all of its words together have so much work. */
export function contextOf({ payload, name }: Pick<GithubEvent, "payload" | "name">): EventContext {
  const event = Object.freeze({ ...payload, event: name }) as JsonValue;
  return { event, work: new ExpressionWork() };
}

/** Throws `invalid-input` for what is larger than a request to the API may be: a payload may be many times that. */
export function valuesOf(words: Values, context: EventContext, bytesMax: number): Values {
  const values = evaluated(words, context) as Values;
  requireSize(values, bytesMax);
  if (storableJson(values) !== undefined) return values;
  throw new EngineError("invalid-input", "the input has characters that cannot be stored");
}

export function keyOf(words: string, context: EventContext): string {
  const key = evaluateText(words, context);
  if (Name.safeParse(key).success) return key;
  throw new EngineError(
    "invalid-input",
    "the key must have 1 to 200 characters, and no control characters",
  );
}

/** Every text of it, however deep; one that is nothing but an expression gives its value. */
function evaluated(value: unknown, context: EventContext): unknown {
  if (typeof value === "string") {
    return value.includes("${{") ? evaluateTemplate(value, context) : value;
  }
  if (Array.isArray(value)) return value.map((each) => evaluated(each, context));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, each]) => [name, evaluated(each, context)]));
}

/** Stops as soon as it is too much: the whole event, named a hundred times, would not fit into memory as a text. */
function requireSize(values: Values, bytesMax: number): void {
  const fault = `the input is larger than ${bytesMax} bytes (http.bodyLimit): name only what is needed of the event`;
  let left = bytesMax;
  const text = JSON.stringify(values, (_name, value: unknown) => {
    left -= typeof value === "string" ? value.length : 1;
    if (left < 0) throw new EngineError("invalid-input", fault);
    return value;
  });
  if (Buffer.byteLength(text) > bytesMax) throw new EngineError("invalid-input", fault);
}

// Reads a JSON Schema (draft 2020-12) into the shape of a form. Whatever it does not know becomes a field for JSON.
import type { ChoiceShape, Field, Shape } from "./shape.ts";

type Schema = Readonly<Record<string, unknown>>;

interface Reading {
  /** Where `$ref` points into. */
  readonly root: Schema;
  readonly depth: number;
  /** How many shapes there may be within this one. */
  readonly room: number;
}

/** Deeper, or for ever, a schema is asked for as JSON. */
const depthMax = 8;
const optionsMax = 200;
/** In all: one that names itself in many places would be millions, long before it is too deep. */
const shapesMax = 20_000;

export function readSchema(schema: unknown): Shape {
  if (!isObject(schema)) return nothingKnown;
  return read(schema, { root: schema, depth: 0, room: shapesMax });
}

const nothingKnown: Shape = {
  ...{ kind: "json", title: undefined, description: undefined, start: undefined },
};

function read(given: unknown, { root, depth, room }: Reading): Shape {
  if (!isObject(given) || depth > depthMax) return nothingKnown;
  const schema = follow(given, root);
  const about = aboutOf(schema);
  const next = { root, depth: depth + 1, room };
  if ("const" in schema) return { ...about, kind: "constant", value: schema["const"] };
  const choice = choiceOf(schema);
  if (choice !== undefined) return { ...about, kind: "choice", options: choice };
  const alternatives = schema["anyOf"] ?? schema["oneOf"] ?? typesOf(schema);
  if (Array.isArray(alternatives)) return unionOf(alternatives, about, next);
  if (Array.isArray(schema["allOf"])) {
    const [only, ...more] = schema["allOf"] as unknown[];
    if (more.length > 0 || schema["properties"] !== undefined) return { ...about, kind: "json" };
    return { ...read(only, next), ...definedAbout(about) };
  }
  switch (schema["type"]) {
    case "string":
      return {
        ...{ ...about, kind: "text", format: textIn(schema["format"]) },
        ...{ pattern: textIn(schema["pattern"]), lengthMin: numberIn(schema["minLength"]) },
        lengthMax: numberIn(schema["maxLength"]),
      };
    case "number":
    case "integer":
      return {
        ...{ ...about, kind: "number", isInteger: schema["type"] === "integer" },
        ...{ min: numberIn(schema["minimum"]), max: numberIn(schema["maximum"]) },
      };
    case "boolean":
      return { ...about, kind: "boolean" };
    case "null":
      return { ...about, kind: "constant", value: null };
    case "array":
      return listOf(schema, about, next);
    case "object":
      return objectOf(schema, about, next);
    default:
      return { ...about, kind: "json" };
  }
}

/** For each of so many, the same: a large one takes nothing from those beside it. Undefined where there is no room. */
function dividedAmong(count: number, { room, ...reading }: Reading): Reading | undefined {
  return room < count ? undefined : { ...reading, room: Math.floor(room / count) - 1 };
}

type About = Pick<Shape, "title" | "description" | "start">;

function aboutOf(schema: Schema): About {
  return {
    title: textIn(schema["title"]),
    description: textIn(schema["description"]),
    start: schema["default"],
  };
}

function definedAbout(about: About): Partial<About> {
  return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
}

/** References within the same document only; what stands beside one is said of its target. */
function follow(schema: Schema, root: Schema): Schema {
  let found = schema;
  for (let steps = 0; typeof found["$ref"] === "string" && steps < depthMax; steps++) {
    const { $ref, ...beside } = found as { $ref: string };
    found = { ...targetOf($ref, root), ...beside };
  }
  return found;
}

function targetOf(reference: string, root: Schema): Schema {
  if (!reference.startsWith("#")) return {};
  let place: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(place) || !Object.hasOwn(place, name)) return {};
    place = place[name];
  }
  return isObject(place) ? place : {};
}

/** Not all who write references escape the names in them. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Fixed values to choose from, written in one of two ways. */
function choiceOf(schema: Schema): ChoiceShape["options"] | undefined {
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  const values = Array.isArray(schema["enum"])
    ? (schema["enum"] as unknown[])
    : Array.isArray(alternatives) && alternatives.every((one) => isObject(one) && "const" in one)
      ? (alternatives as Schema[]).map((one) => one["const"])
      : undefined;
  if (values === undefined || values.length === 0 || values.length > optionsMax) return undefined;
  return values.every(isPlain) ? values : undefined;
}

/** `type: [a, b]` says the same as a union. */
function typesOf(schema: Schema): Schema[] | undefined {
  const { type, title, description, default: start, ...rest } = schema;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...rest, type: one })) : undefined;
}

function unionOf(alternatives: readonly unknown[], about: About, next: Reading): Shape {
  const inner = dividedAmong(alternatives.length, next);
  if (alternatives.length > optionsMax || inner === undefined) return { ...about, kind: "json" };
  const shapes = alternatives.map((one) => read(one, inner));
  const [only, ...more] = shapes;
  if (only !== undefined && more.length === 0) return { ...only, ...definedAbout(about) };
  const options = shapes.map((shape, index) => ({ shape, words: wordsOf(shape, index) }));
  return { ...about, kind: "union", options };
}

const kindWords: Record<Shape["kind"], string> = {
  ...{ text: "Text", number: "Number", boolean: "Yes or no", choice: "Choice", list: "List" },
  ...{ object: "Fields", record: "Names and values", union: "Choice", constant: "Fixed" },
  json: "JSON",
};

/** What tells an alternative from the others: its title, the value that marks it, or what it is. */
function wordsOf(shape: Shape, index: number): string {
  if (shape.title !== undefined) return shape.title;
  if (shape.kind === "constant") return shape.value === null ? "None" : String(shape.value);
  if (shape.kind === "object") {
    const marks = shape.fields.flatMap(({ shape: field }) => {
      if (field.kind === "constant") return [String(field.value)];
      return field.kind === "choice" && field.options.length === 1
        ? [String(field.options[0])]
        : [];
    });
    return marks[0] ?? `Fields ${index + 1}`;
  }
  const description = shape.description?.replaceAll("`", "");
  return description === undefined
    ? kindWords[shape.kind]
    : `${kindWords[shape.kind]}: ${description}`;
}

function listOf(schema: Schema, about: About, next: Reading): Shape {
  if (!isObject(schema["items"]) || schema["prefixItems"] !== undefined) {
    return { ...about, kind: "json" };
  }
  const item = added(read(schema["items"], next));
  return { ...about, kind: "list", item, lengthMax: numberIn(schema["maxItems"]) };
}

function objectOf(schema: Schema, about: About, next: Reading): Shape {
  const { additionalProperties: rest } = schema;
  if (schema["patternProperties"] !== undefined) return { ...about, kind: "json" };
  const properties = propertiesOf(schema);
  if (properties !== undefined) {
    const inner = dividedAmong(properties.length, next);
    if (inner === undefined) return { ...about, kind: "json" };
    const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
    const fields = properties.map(([name, property]): Field => {
      const isRequired = required.includes(name);
      const shape = read(property, inner);
      return { name, shape: isRequired ? shape : askedFor(shape), isRequired };
    });
    return { ...about, kind: "object", fields };
  }
  return isObject(rest)
    ? { ...about, kind: "record", value: added(read(rest, next)) }
    : { ...about, kind: "json" };
}

/** Undefined where somebody else chooses the names. */
function propertiesOf(schema: Schema): [string, unknown][] | undefined {
  const { properties, additionalProperties: rest } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) return Object.entries(properties);
  if (rest === false || (rest === undefined && isObject(properties))) return [];
  return namesOf(schema["propertyNames"])?.map((name) => [name, rest]);
}

/** Those of a record that has no others. */
function namesOf(schema: unknown): string[] | undefined {
  if (!isObject(schema)) return undefined;
  const names = "const" in schema ? [schema["const"]] : choiceOf(schema);
  return names?.every((name) => typeof name === "string") ? [...new Set(names)] : undefined;
}

/** What somebody has added, an item or a value with a name, is there by their word, and may be empty. */
function added(shape: Shape): Shape {
  return shape.kind === "text" ? { ...shape, lengthMin: shape.lengthMin ?? 0 } : shape;
}

/** What may be left out is not sent unless somebody says so, also if it can only be one thing. */
function askedFor(shape: Shape): Shape {
  if (shape.kind !== "constant" || !isPlain(shape.value)) return shape;
  const { value, ...about } = shape;
  return { ...about, kind: "choice", options: [value] };
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

// A JSON Schema as a form: what is asked for, what a draft stands for, and where mistakes are told.
import { expect, test } from "vitest";
import { type Draft, draftOf, freshDraft } from "./draft.ts";
import { mistakeWithin, untold } from "./mistakes.ts";
import { readDraft } from "./read-draft.ts";
import { readSchema } from "./read-schema.ts";

/** As zod writes the input of a type with a bit of everything. */
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    repository: { type: "string" },
    format: { default: "zip", type: "string", enum: ["tar.gz", "zip"] },
    depth: { type: "integer", minimum: 1, maximum: 9_007_199_254_740_991 },
    lfs: { type: "boolean" },
    paths: { type: "array", items: { type: "string" }, maxItems: 3 },
    command: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    environment: { type: "object", additionalProperties: { type: "string" } },
    look: {
      type: "object",
      properties: { width: { type: "number", default: 3 }, note: { type: "string" } },
      required: ["note"],
    },
    target: {
      oneOf: [
        { type: "object", properties: { to: { const: "file" }, name: { type: "string" } } },
        { type: "object", properties: { to: { const: "mail" } }, required: ["to"] },
      ],
    },
    parent: { $ref: "#/$defs/node" },
    tuple: { type: "array", prefixItems: [{ type: "string" }] },
    __proto__x: {},
  },
  required: ["repository", "command"],
  $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } } } },
};

const shape = readSchema(schema);

function kinds(): Record<string, string> {
  if (shape.kind !== "object") throw new Error("not an object");
  return Object.fromEntries(shape.fields.map(({ name, shape: { kind } }) => [name, kind]));
}

test("each part of a schema has its kind of field, and what is not known is JSON", () => {
  expect(kinds()).toEqual({
    ...{ repository: "text", format: "choice", depth: "number", lfs: "boolean", paths: "list" },
    ...{ command: "union", environment: "record", look: "object", target: "union" },
    ...{ parent: "object", tuple: "json", __proto__x: "json" },
  });
  expect(readSchema({ type: "string", oneOf: [{ const: 1 }, { const: 2 }] }).kind).toBe("choice");
  expect(readSchema({ type: ["string", "null"] }).kind).toBe("union");
  expect(readSchema({ $ref: "#" }).kind).toBe("json");
  expect(readSchema({ $ref: "https://elsewhere.example" }).kind).toBe("json");
  expect(readSchema(null).kind).toBe("json");
});

test("alternatives are named by what marks them", () => {
  const words = shape.kind === "object" ? shape.fields.map((field) => field.shape) : [];
  const names = words.flatMap((one) => (one.kind === "union" ? one.options : []));
  expect(names.map((option) => option.words)).toEqual(["Text", "List", "file", "mail"]);
});

test("an untouched form sends what is there without being said, and asks for what is needed", () => {
  const { value, mistakes } = readDraft(shape, freshDraft(shape, true));
  expect(value).toEqual({ format: "zip" });
  expect([...mistakes.keys()]).toEqual(["input.repository", "input.command"]);
});

test.each([
  { repository: "https://a.example", command: "ls" },
  {
    ...{ repository: "x", command: ["ls", "-l"], format: "tar.gz", depth: 3, lfs: false },
    ...{ paths: ["a", "b"], environment: { PATH: "/bin", __proto__x: "1" } },
    ...{ look: { width: 1.5, note: "n" }, target: { to: "file", name: "n" } },
    ...{ parent: { child: { child: {} } }, tuple: ["a", 1, null] },
  },
])("a value comes back from the form as it was: %j", (value) => {
  const draft = draftOf(shape, value, true);
  expect(draft).toBeDefined();
  expect(readDraft(shape, draft as Draft)).toEqual({ value, mistakes: new Map() });
});

test.each([
  { repository: "x", command: "ls", unknown: 1 },
  { repository: "x", command: 7 },
  { repository: "x", command: "ls", format: "rar" },
  { repository: "x", command: "ls", target: { to: "nobody" } },
])("a value that has no field is not shown as fields: %j", (value) => {
  expect(draftOf(shape, value, true)).toBeUndefined();
});

test("a number, JSON and names are checked before anything is sent", () => {
  const text = (words: string): Draft => ({ kind: "text", text: words });
  const whole = draftOf(shape, { repository: "x", command: "ls" }, true);
  if (whole?.kind !== "object") throw new Error("no draft");
  const entry = (key: string, name: string) => ({ key, name, draft: text("v") });
  const fields = new Map(whole.fields)
    .set("depth", text("1.5"))
    .set("tuple", text("[1,"))
    .set("environment", { kind: "record", entries: [entry("a", "A"), entry("b", "A")] });
  const { mistakes } = readDraft(shape, { kind: "object", fields });
  expect(mistakes.get("input.depth")).toBe("It must be a whole number.");
  expect(mistakes.get("input.tuple")).toContain("It is not valid JSON");
  expect(mistakes.get("input.environment")).toBe("The name A is there twice.");
});

test("a mistake is told by its field, by the one it is in, or else for all", () => {
  const draft = freshDraft(shape, true);
  const mistakes = new Map([
    ["input.tuple.0", "Is wrong."],
    ["input.repository", "Is unknown."],
    ["input", "Needs either."],
    ["input.look.note", "Is hidden."],
  ]);
  expect(mistakeWithin(mistakes, "input.tuple")).toBe("0: Is wrong.");
  expect(untold(mistakes, shape, draft)).toEqual(["Needs either.", "look.note: Is hidden."]);
});

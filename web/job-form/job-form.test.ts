// A JSON Schema as a form: what is asked for, what a draft stands for, and where mistakes are told.
import { expect, test } from "vitest";
import { z } from "zod";
import { type Draft, draftOf, freshDraft } from "./draft.ts";
import { mistakeWithin, untold } from "./mistakes.ts";
import { readDraft } from "./read-draft.ts";
import { readSchema } from "./read-schema.ts";
import { inputShape } from "./use-job-input.ts";

/** As zod writes the input of a type with a bit of everything. */
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    repository: { type: "string", minLength: 1 },
    format: { default: "zip", type: "string", enum: ["tar.gz", "zip"] },
    depth: { type: "integer", minimum: 1, maximum: 9_007_199_254_740_991 },
    lfs: { type: "boolean" },
    paths: { type: "array", items: { type: "string" }, maxItems: 3 },
    command: {
      anyOf: [
        { type: "string", minLength: 1 },
        { type: "array", items: { type: "string" } },
      ],
    },
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
  expect(readSchema({ $ref: "#/$defs/100%", $defs: { "100%": { type: "string" } } }).kind).toBe(
    "text",
  );
});

test("a schema that names itself everywhere is a form all the same, and takes nothing from what is beside it", () => {
  const fields = Array.from({ length: 40 }, (_, at) => [`f${at}`, { $ref: "#/$defs/node" }]);
  const read = readSchema({
    type: "object",
    properties: { tree: { $ref: "#/$defs/node" }, title: { type: "string" } },
    $defs: { node: { type: "object", properties: Object.fromEntries(fields) } },
  });
  if (read.kind !== "object") throw new Error("not an object");
  expect(read.fields.map(({ shape: { kind } }) => kind)).toEqual(["object", "text"]);
  expect(JSON.stringify(read).length).toBeLessThan(5_000_000);
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

function formOf(schema: z.ZodType) {
  return readSchema(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

/** The untouched form with some of its fields as somebody has left them. */
function draftWith(shape: ReturnType<typeof formOf>, changed: Readonly<Record<string, Draft>>) {
  const fresh = freshDraft(shape, true);
  if (fresh.kind !== "object") throw new Error("not an object");
  const fields = new Map([...(fresh.fields ?? []), ...Object.entries(changed)]);
  return { kind: "object", fields } as const;
}

test("what is something without being said stays empty once somebody has emptied it", () => {
  const schema = z.object({
    tags: z.array(z.string()).default(["a", "b"]),
    labels: z.record(z.string(), z.string()).default({ x: "y" }),
    title: z.string().default("untitled"),
    colour: z.string().min(1).default("red"),
    others: z.array(z.string()).optional(),
  });
  const form = formOf(schema);
  const untouched = readDraft(form, freshDraft(form, true));
  expect(schema.parse(untouched.value)).toEqual(schema.parse({}));
  const empty: Draft = { kind: "text", text: "" };
  const { value, mistakes } = readDraft(
    form,
    draftWith(form, {
      ...{ tags: { kind: "list", items: [] }, labels: { kind: "record", entries: [] } },
      ...{ title: empty, colour: empty },
    }),
  );
  expect(mistakes.size).toBe(0);
  expect(value).toEqual({ tags: [], labels: {}, title: "" });
  expect(readDraft(form, draftOf(form, value, true) as Draft).value).toEqual(value);
  const fromNothing = readDraft(form, draftOf(form, {}, true) as Draft).value;
  expect(schema.parse(fromNothing)).toEqual(schema.parse({}));
});

test("a text is asked for, unless its schema says that it may be empty; otherwise only JSON says that", () => {
  const form = formOf(
    z.object({
      ...{ prefix: z.string().optional(), body: z.string(), mask: z.string().regex(/^x*$/) },
      ...{ name: z.string().min(1), note: z.string().min(0), tail: z.string().default("") },
      either: z.union([z.string(), z.number()]),
    }),
  );
  const { value, mistakes } = readDraft(form, freshDraft(form, true));
  expect(value).toEqual({ note: "", tail: "" });
  const mayBe = "It is needed. If it is meant to be empty, say so as JSON.";
  expect([...mistakes]).toEqual([
    ...[["input.body", mayBe] as const, ["input.mask", mayBe] as const],
    ...[["input.name", "It is needed."] as const, ["input.either", mayBe] as const],
  ]);
  const whole = { body: "b", mask: "x", name: "n", note: "", tail: "", either: 1 };
  const back = readDraft(form, draftOf(form, whole, true) as Draft);
  expect(back).toEqual({ value: whole, mistakes: new Map() });
  expect(draftOf(form, { ...whole, body: "" }, true)).toBeUndefined(); // it stays JSON
});

test("names that a record can have are fields; what is added to it or to a list may be empty", () => {
  const form = formOf(
    z.object({
      sizes: z.record(z.enum(["small", "large"]), z.number()),
      notes: z.partialRecord(z.enum(["top", "end"]), z.string()),
      one: z.record(z.literal("only"), z.boolean()),
      environment: z.record(z.string(), z.string()),
      words: z.array(z.string()),
    }),
  );
  const { value, mistakes } = readDraft(form, freshDraft(form, true));
  expect(value).toEqual({ sizes: {}, notes: {}, one: { only: false }, environment: {}, words: [] });
  expect([...mistakes.keys()]).toEqual(["input.sizes.small", "input.sizes.large"]);
  const whole = {
    ...{ sizes: { small: 1, large: 2 }, notes: { end: "e" }, one: { only: true } },
    ...{ environment: { EMPTY: "" }, words: ["-m", ""] },
  };
  const draft = draftOf(form, whole, true) as Draft;
  expect(readDraft(form, draft)).toEqual({ value: whole, mistakes: new Map() });
  expect(draftOf(form, { ...whole, notes: { side: "s" } }, true)).toBeUndefined();
});

test("an object that has no fields needs no input; one of which nothing is known is JSON", () => {
  for (const schema of [z.object({}), z.strictObject({})]) {
    const form = formOf(schema);
    expect(inputShape(form)).toMatchObject({ kind: "object", fields: [] });
    expect(readDraft(form, freshDraft(form, true))).toEqual({ value: {}, mistakes: new Map() });
  }
  expect(inputShape(formOf(z.looseObject({})))).toBeUndefined();
  expect(inputShape(readSchema({ type: "object" }))).toBeUndefined();
});

test("one of several kinds of input is a form, and what is written as JSON comes back to its kind", () => {
  const form = formOf(
    z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.string() }),
      z.object({ kind: z.literal("b"), y: z.number() }),
    ]),
  );
  expect(inputShape(form)).toBe(form);
  const value = { kind: "b", y: 3 };
  const draft = draftOf(form, value, true);
  expect(draft).toMatchObject({ kind: "union", chosen: 1 });
  expect(readDraft(form, draft as Draft)).toEqual({ value, mistakes: new Map() });
  expect(inputShape(formOf(z.union([z.object({ a: z.string() }), z.string()])))).toBeUndefined();
});

test("what may be left out and can only be one thing is not sent unless it is chosen", () => {
  const form = formOf(z.object({ level: z.literal(5).optional(), kind: z.literal("a") }));
  expect(readDraft(form, freshDraft(form, true)).value).toEqual({ kind: "a" });
  const chosen = draftWith(form, { level: { kind: "text", text: "0" } });
  expect(readDraft(form, chosen).value).toEqual({ level: 5, kind: "a" });
});

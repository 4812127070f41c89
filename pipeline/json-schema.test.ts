// The JSON Schema for editors says what the parser says.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../scripts/source-files.ts";
import { pipelineFields } from "./format/pipeline-fields.ts";
import { stepFields } from "./format/step-fields.ts";
import { pipelineJsonSchema } from "./json-schema.ts";
import { parsePipeline } from "./parse-pipeline.ts";

const examples = join(projectRoot, "examples");
const schema = pipelineJsonSchema();
const isValid = new Ajv2020({ strict: false }).compile(schema);

describe("every example", () => {
  test.each(readdirSync(examples).filter((name) => name.endsWith(".yaml")))("%s", (name) => {
    const text = readFileSync(join(examples, name), "utf8");
    const { problems, warnings } = parsePipeline(text, { file: name });
    expect([problems, warnings]).toEqual([[], []]);
    expect(isValid(parse(text)), JSON.stringify(isValid.errors)).toBe(true);
  });
});

test("every key that the parser knows is in the schema, and no other", () => {
  const { properties } = schema as {
    properties: Record<string, { additionalProperties?: unknown }>;
  };
  expect(Object.keys(properties)).toEqual(Object.keys(pipelineFields.shape));
  const step = properties["steps"]?.additionalProperties as {
    properties: object;
    oneOf: unknown[];
  };
  expect(Object.keys(step.properties)).toEqual(Object.keys(stepFields.shape));
  expect(step.oneOf).toHaveLength(6);
});

/** Wrong in shape, so that both must refuse them; what needs words is the parser's alone. */
const WRONG = [
  ...["steps: []", "{}", "steps: { a: { rum: x } }", "steps: { a: { run: x, timeout: soon } }"],
  ...["steps: { a: { run: x, uses: y } }", "steps: { a: { run: x, retry: { attempts: 0 } } }"],
  ...["steps: { 1a: { run: x } }", "stepps: {}", "steps: { a: { run: x, matrix: { v: 1 } } }"],
  ...[
    "steps: { a: { run: x, checks: [{ on-failure: shout }] } }",
    "on: { github: 1 }\nsteps: { a: { run: x } }",
  ],
];
const RIGHT = [
  ...["steps: { a: { run: x } }", "steps: { a: { uses: y.yaml, with: { n: 1 } } }"],
  ...["steps: { a: { run: x, matrix: { v: [], id: x } } }", "steps: { a: { approval: true } }"],
  ...["secrets: { A: b }\nsteps: { a: { run: x, secrets: [t], retry: none, if: true } }"],
  ...[
    "on: { schedule: [{ cron: 0 6 * * *, timezone: UTC }] }\nrepository: { url: x }\nsteps: { a: { run: x } }",
  ],
];

test.each(WRONG)("both refuse %j", (text) => {
  expect(parsePipeline(text).pipeline).toBeUndefined();
  expect(isValid(parse(text))).toBe(false);
});

test.each(RIGHT)("both accept %j", (text) => {
  expect(parsePipeline(text).problems).toEqual([]);
  expect(isValid(parse(text)), JSON.stringify(isValid.errors)).toBe(true);
});

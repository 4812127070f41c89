// Expressions: what they give, what they refuse, and where they say that a name is wrong.
import { describe, expect, test } from "vitest";
import { checkTemplate } from "./check-expression.ts";
import { artifactsUsedBy, evaluateCondition, evaluateTemplate, evaluateText } from "./evaluate.ts";
import { ExpressionFailure } from "./expression-failure.ts";
import { compileCondition, compileTemplate } from "./template.ts";
import { ANY, members, scalars } from "./value-shape.ts";

const context = {
  inputs: { name: "Ada", count: 3, Case: "exact", case: "lower" },
  matrix: { task: { id: "a", deps: ["b"] } },
  needs: { build: { result: "done", items: [{ id: "x" }, { id: "y" }] } },
  artifacts: { plan: { tasks: '{"tasks":[{"id":"a"},{"id":"b"}]}' } },
  event: { constructor: "own", issue: { title: "it's" } },
};

describe("values", () => {
  test.each([
    ["plain", "plain"],
    [`\${{ inputs.count }}`, 3],
    [`\${{ inputs.count }} times`, "3 times"],
    [`\${{ inputs.missing }}`, null],
    [`[\${{ inputs.missing }}]`, "[]"],
    [`\${{ fromJSON(artifacts.plan.tasks).tasks }}`, [{ id: "a" }, { id: "b" }]],
    [`\${{ matrix.task }}`, { id: "a", deps: ["b"] }],
    [`fix/\${{ matrix.task.id }}-\${{ inputs.name }}`, "fix/a-Ada"],
    [`\${{ 'it''s ''quoted''' }}`, "it's 'quoted'"],
    [`\${{ '}}' }}!`, "}}!"],
    [`\${{ inputs.Case }} \${{ inputs.case }} \${{ inputs.CASE }}`, "exact lower exact"],
    [`\${{ join(needs.build.items.*.id, '-') }}`, "x-y"],
    [`\${{ format('{0}{{}}{1}', 1, true) }}`, "1{}true"],
    [`\${{ event.constructor }}`, "own"],
    [`\${{ toJSON(fromJSON('{"__proto__":1}')) }}`, '{\n  "__proto__": 1\n}'],
    [`\${{ inputs['name'] == 'ADA' && 'yes' || 'no' }}`, "yes"],
    [`\${{ case(false, 1, true, 2, 3) }}`, 2],
  ])("%s", (text, value) => {
    expect(evaluateTemplate(text, context)).toEqual(value);
  });

  test.each([
    [`\${{ fromJSON('x') }}`, "not JSON"],
    [`\${{ fromJSON('') }}`, "empty text"],
    [`a \${{ matrix.task }}`, "toJSON()"],
    [`\${{ constructor(1) }}`, "unknown function 'constructor'"],
    [`\${{ __proto__.x }}`, "unknown name '__proto__'"],
    [`\${{ nope }}`, "unknown name 'nope'"],
    [`\${{`, "has no '}}'"],
  ])("%s fails", (text, message) => {
    expect(() => evaluateTemplate(text, context)).toThrow(ExpressionFailure);
    expect(() => evaluateTemplate(text, context)).toThrow(message);
  });

  test("nothing of an object but its own members can be reached", () => {
    for (const name of ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"]) {
      expect(evaluateTemplate(`\${{ inputs.${name} }}`, context)).toBeNull();
      expect(evaluateTemplate(`\${{ inputs['${name}'].constructor }}`, context)).toBeNull();
    }
  });

  test("what is too large or too deep is a failure, not a burden", () => {
    const large = "x".repeat(200_000);
    const with_ = (value: string) => ({ inputs: { x: value } });
    expect(() => evaluateTemplate(`\${{ inputs.x }}`, with_(large))).toThrow("too long");
    expect(() => evaluateTemplate(`a\${{ inputs.x }}`, with_(large))).toThrow("too long");
    expect(() =>
      evaluateTemplate(`\${{ fromJSON(inputs.x) }}`, with_(`"${"x".repeat(1_100_000)}"`)),
    ).toThrow("too much");
    expect(() =>
      evaluateTemplate(`\${{ fromJSON(inputs.x) }}`, with_("[".repeat(5000) + "]".repeat(5000))),
    ).toThrow("too deeply");
    const format = `\${{ format('${"{0}".repeat(500)}', inputs.x) }}`;
    expect(() => evaluateTemplate(format, with_(large))).toThrow("too much");
    const many = JSON.stringify(Array(200_000).fill(1));
    expect(evaluateTemplate(`\${{ fromJSON(inputs.x)[199999] }}`, with_(many))).toBe(1);
  });

  test("as text, null is empty and a list a failure", () => {
    expect(evaluateText(`\${{ inputs.missing }}`, context)).toBe("");
    expect(() => evaluateText(`\${{ matrix.task.deps }}`, context)).toThrow("toJSON()");
  });
});

describe("conditions", () => {
  const good = { success: true, failure: false, cancelled: false };
  const bad = { success: false, failure: true, cancelled: false };
  test.each([
    ["inputs.name == 'Ada'", true, false],
    [`\${{ inputs.name == 'Ada' }}`, true, false],
    ["always()", true, true],
    ["failure()", false, true],
    ["!cancelled() && inputs.count > 2", true, true],
    ["inputs.missing", false, false],
    ["'false'", true, false],
  ])("%s", (text, whenGood, whenBad) => {
    const condition = compileCondition(text);
    expect(evaluateCondition(condition, context, good)).toBe(whenGood);
    expect(evaluateCondition(condition, context, bad)).toBe(whenBad);
  });

  test("are one expression", () => {
    expect(compileCondition(`a \${{ true }}`).faults).toMatchObject([
      { message: expect.stringContaining("one expression") },
    ]);
  });
});

test("the artifacts that a text needs are known beforehand", () => {
  const { template } = compileTemplate(
    `\${{ fromJSON(artifacts.plan.tasks).x }} \${{ Artifacts['plan']['log'] }}`,
  );
  expect(template === undefined ? [] : artifactsUsedBy(template)).toEqual([
    { step: "plan", artifact: "tasks" },
    { step: "plan", artifact: "log" },
  ]);
});

test("faults have their place in the text", () => {
  const scope = {
    contexts: members("name", [
      ["inputs", scalars("input", ["issue"])],
      ["event", ANY],
    ]),
    hasStatus: false,
  };
  const faults = (text: string) => {
    const { template, faults: own } = compileTemplate(text);
    const found = template === undefined ? own : checkTemplate(template, scope);
    return found.map(({ offset, message, suggestion }) =>
      `${offset} ${message} ${suggestion ?? ""}`.trim(),
    );
  };
  expect(faults(`\${{ inputs.isue }} \${{ inptus.x }}`)).toEqual([
    "11 unknown input 'isue' did you mean 'issue'?",
    "23 unknown name 'inptus' did you mean 'inputs'?",
  ]);
  expect(faults(`\${{ 'a\nb' == inputs.isue }}`)).toEqual([
    "20 unknown input 'isue' did you mean 'issue'?",
  ]);
  expect(faults(`\${{ inputs.issue.title }}`)[0]).toContain("17 'title' does not exist");
  expect(faults(`\${{ fromJSON(inputs.issue).any.thing[0].goes }} \${{ event.a.b.c }}`)).toEqual(
    [],
  );
  expect(faults(`\${{ fromJson(inputs.issue, 1) }}`)).toEqual([
    "4 'fromJson' is given too many values",
  ]);
  expect(faults(`\${{ tojsn(1) }}`)).toEqual(["4 unknown function 'tojsn' did you mean 'toJSON'?"]);
  expect(faults(`\${{ success() }}`)).toEqual(["4 'success()' can be used in 'if' only"]);
  expect(faults(`\${{ "x" }}`)).toEqual(["4 texts in expressions stand in single quotes"]);
  expect(faults(`\${{ inputs.issue == }}`)).toEqual(["17 the expression ends too early"]);
  expect(faults(`\${{ }}`)).toEqual(["3 the expression is empty"]);
});

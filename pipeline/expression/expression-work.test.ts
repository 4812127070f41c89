// Expressions that cost too much fail, soon, and always in the same place; what is read once costs once.
import { expect, test } from "vitest";
import { expandMatrix } from "../matrix/expand-matrix.ts";
import { buildMatrix } from "../model/build-matrix.ts";
import { evaluateTemplate } from "./evaluate.ts";
import { ExpressionWork } from "./expression-work.ts";

const MANY = `[${Array.from({ length: 250_000 }, () => "1").join(",")}]`;
const TOO_MUCH = "read or make too much";

function contextOf() {
  const inputs = {
    many: MANY,
    short: "a".repeat(400_000),
    long: "a".repeat(900_000),
    other: `${"a".repeat(899_999)}b`,
  };
  return { inputs, work: new ExpressionWork() };
}

test("a text that is parsed again and again is parsed once", () => {
  const context = contextOf();
  for (let nth = 0; nth < 240; nth++)
    expect(evaluateTemplate(`\${{ fromJSON(inputs.many)[${nth}] }}`, context)).toBe(1);
});

test.each([
  ["lists that are made", `\${{ fromJSON(inputs.many) }}`],
  ["texts that are compared", `\${{ inputs.long == inputs.other }}`],
  ["texts that are searched", `\${{ contains(inputs.long, inputs.other) }}`],
  ["lists that are searched", `\${{ contains(fromJSON(inputs.many), 'x') }}`],
  ["lists that are joined", `\${{ join(fromJSON(inputs.many), '') == '' }}`],
  ["lists that are gone through", `\${{ fromJSON(inputs.many).*.a.b == '' }}`],
  ["texts that are put together", `\${{ format('{0}', inputs.short) == '' }}`],
  ["values that are made JSON", `\${{ toJSON('x').x }}`],
])("%s: so often that it is too much", (_, template) => {
  const context = contextOf();
  const evaluate = () => {
    for (let nth = 0; nth < 200_000; nth++) evaluateTemplate(template, context);
  };
  expect(evaluate).toThrow(TOO_MUCH);
});

test("what is evaluated alone has all of it to itself", () => {
  const { inputs } = contextOf();
  for (let nth = 0; nth < 4; nth++)
    expect(evaluateTemplate(`\${{ fromJSON(inputs.many).*.a == '' }}`, { inputs })).toBe(false);
});

test("the items of a matrix share what they may cost, and its value", () => {
  const inputs = { many: `[${MANY}]` };
  const n = Array.from({ length: 256 }, (_, index) => index);
  const values = { n, w: `\${{ fromJSON(inputs.many) }}` };
  const cheap = expandMatrix(
    buildMatrix({ ...values, id: `\${{ matrix.n }}-\${{ matrix.w[3] }}` }),
    {
      inputs,
    },
  );
  expect(cheap.items).toHaveLength(256);
  const dear = { ...values, id: `\${{ matrix.n }}-\${{ join(matrix.w, '') == '' }}` };
  expect(expandMatrix(buildMatrix(dear), { inputs })).toMatchObject({
    problem: expect.stringContaining(TOO_MUCH),
  });
  const left = { ...values, exclude: `\${{ fromJSON(inputs.less) }}` };
  const less = JSON.stringify([{ w: [...Array(124_999).fill(1), 2] }]);
  const half = { many: `[[${Array(125_000).fill(1).join(",")}]]`, less };
  expect(expandMatrix(buildMatrix(left), { inputs: half })).toMatchObject({
    problem: expect.stringContaining(TOO_MUCH),
  });
});

test("variables that are added between two evaluations are seen", () => {
  const env: Record<string, string> = { a: "1" };
  const context = { env, work: new ExpressionWork() };
  expect(evaluateTemplate(`\${{ env.a }}\${{ env.b }}`, context)).toBe("1");
  env["b"] = "2";
  expect(evaluateTemplate(`\${{ env.a }}\${{ env.b }}`, context)).toBe("12");
});

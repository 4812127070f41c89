// Whatever the text is: no exception, a line for every problem, and an answer before anybody would have to wait.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../test/support/seeded-random.ts";
import { parsePipeline, parsePipelineBytes } from "./parse-pipeline.ts";

const RIGHT = `name: good
on: { github: [push] }
inputs: { who: { type: string, default: x } }
env: { A: "\${{ inputs.who }}" }
steps:
  one:
    run: echo "$A"
    artifacts: { out: out.txt }
    outputs: [x]
    timeout: 5m
  two:
    needs: [one]
    matrix: { v: [a, b], max-parallel: 2 }
    inject: { out: in.txt }
    run: echo \${{ matrix.v }} \${{ needs.one.outputs.x }}
  three: { needs: [two], integrate: two }
  four: { needs: [three], publish: { from: three, branch: b } }
`;

const steps = (inner: string) => `steps:\n  a:\n    run: x\n    ${inner}\n`;
const MEGABYTE = 1024 * 1024;

/** Each is wrong whatever the numbers are. */
const MALFORMED: Readonly<Record<string, (random: (limit: number) => number) => string>> = {
  "aliases that double": (random) => {
    const levels = 8 + random(20);
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let at = 1; at <= levels; at++) {
      lines.push(`a${at}: &a${at} [${Array(9).fill(`*a${at - 1}`)}]`);
    }
    return `${lines.join("\n")}\nsteps: *a${levels}`;
  },
  "many aliases": (random) =>
    steps(`env: &e { A: x }\n    b: [${Array(101 + random(2000)).fill("*e")}]`),
  "an anchor in itself": (random) =>
    `steps: &s${random(9)} { a: { run: x, with: *s${random(9)} } }`,
  "deep flow": (random) => `steps: ${"[{a: ".repeat(30 + random(300_000))}`,
  "deep block": (random) =>
    Array.from({ length: 45 + random(300) }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
  "deep dashes": (random) => `steps:\n  a: ${"- ".repeat(50 + random(200_000))}x`,
  "deep keys": (random) => "? ".repeat(50 + random(100_000)),
  "too large": (random) => `${RIGHT}# ${"x".repeat(MEGABYTE + random(1000))}`,
  "ten megabytes": () => "steps: { a: { run: x } } #".repeat(400_000),
  "many steps": (random) =>
    `steps:\n${Array.from({ length: 1001 + random(3000) }, (_, at) => `  s${at}: { run: x }`).join("\n")}`,
  "many keys": (random) =>
    `steps: { a: { run: x, env: {${Array.from({ length: 60_000 + random(1000) }, (_, at) => `K${at}: 1`)}} } }`,
  "a matrix too large": (random) =>
    steps(`matrix: { v: [${Array.from({ length: 257 + random(1000) }, (_, at) => at)}] }`),
  "a product too large": (random) =>
    steps(
      `matrix: { v: [${Array.from({ length: 17 }, (_, at) => at)}], w: [${Array.from({ length: 16 + random(50) }, (_, at) => at)}] }`,
    ),
  "an unknown key": (random) =>
    RIGHT.replace(pick(["timeout", "artifacts", "inject", "steps", "inputs"], random), "zzz"),
  "a wrong type": (random) =>
    RIGHT.replace(
      pick(["5m", "[one]", "{ out: in.txt }", "[push]", "[x]"], random),
      pick(["7", "{ a: [] }", "[[1]]", "true"], random),
    ),
  "a cut file": (random) => `${RIGHT.slice(0, 20 + random(60))}\n  "`,
  "a broken indent": (random) =>
    RIGHT.replace('    run: echo "$A"', `${" ".repeat(1 + random(2))}run: x`),
  "a tab": () => RIGHT.replace("    timeout", "\t timeout"),
  "a long key": (random) => steps(`${"k".repeat(257 + random(600))}: x`),
  "many mistakes in one text": (random) =>
    `steps:\n  a:\n    run: |\n${`      \${{ zz }}\n`.repeat(1000 + random(10_000))}`,
  "many lists in a matrix": (random) =>
    steps(`matrix: {${Array.from({ length: 21 + random(5000) }, (_, at) => `k${at}: [1]`)}}`),
  "a prototype's name": (random) =>
    steps(`${pick(["__proto__", "constructor", "toString", "hasOwnProperty"], random)}: { x: 1 }`),
  "a tag": (random) =>
    RIGHT.replace("[one]", `${pick(["!!set", "!foo", "!!js/function", "!!binary"], random)} [one]`),
  "a second document": (random) => `${RIGHT}${"---\nx: 1\n".repeat(1 + random(50))}`,
  "a doubled key": (random) =>
    RIGHT.replace(pick(["  two:\n", "  three:"], random), "  one: { run: x }\n$&"),
  "an unknown need": (random) => RIGHT.replace("[one]", `[one, z${random(99)}]`),
  "a circle": () => RIGHT.replace("    timeout: 5m", "    needs: [four]"),
  "an unknown name": (random) =>
    RIGHT.replace(
      pick(["inputs.who", "matrix.v", "needs.one.outputs.x"], random),
      pick(["nope", "inputs.zzz", "needs.zzz", "secrets.x"], random),
    ),
  "a broken expression": (random) =>
    RIGHT.replace(
      "inputs.who",
      pick(["inputs.", "'x", "a b", "1 +", "((", "!".repeat(2000)], random),
    ),
  "a deep expression": (random) => RIGHT.replace("inputs.who", `${"(".repeat(60 + random(900))}1`),
  "a long expression": (random) =>
    RIGHT.replace("inputs.who", `1${" == 1".repeat(1000 + random(4000))}`),
  "nothing but noise": (random) =>
    Array.from({ length: 1 + random(400) }, () => String.fromCharCode(33 + random(90))).join("") +
    "\0",
};

function pick<Item>(items: readonly Item[], random: (limit: number) => number): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

test("the pipeline that is spoilt below is right", () => {
  expect(parsePipeline(RIGHT).problems).toEqual([]);
});

describe("300 malformed files are refused, each with a line", () => {
  const random = seededRandom(5);
  const kinds = Object.entries(MALFORMED);
  const rounds = Math.ceil(300 / kinds.length);
  test.each(kinds)("%s", (_name, make) => {
    for (let round = 0; round < rounds; round++) {
      const text = make((limit) => random.below(limit));
      const { pipeline, problems } = parsePipeline(text, { file: "x.yaml" });
      expect(pipeline).toBeUndefined();
      expect(problems.length).toBeGreaterThan(0);
      for (const { line, column, message } of problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(text.split("\n").length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(message).not.toBe("");
      }
    }
  });
});

describe("nothing makes it throw", () => {
  const whole = ({ problems, pipeline }: ReturnType<typeof parsePipeline>) =>
    (pipeline === undefined) === problems.length > 0;

  test("any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) =>
        whole(parsePipeline(text)),
      ),
      { numRuns: 2000, seed: 5 },
    );
  });

  test("any text made of the signs of YAML and of expressions", () => {
    const word = fc.constantFrom(
      ...[
        "steps",
        "run",
        "needs",
        "matrix",
        "a",
        "b",
        ":",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
      ],
      ...[
        ",",
        "&x",
        "*x",
        "|",
        ">",
        "'",
        '"',
        "#",
        "!t ",
        "? ",
        `\${{`,
        "}}",
        "inputs.x",
        "fromJSON(",
        ")",
        "1",
        "~",
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) =>
        whole(parsePipeline(words.join(""))),
      ),
      { numRuns: 3000, seed: 5 },
    );
  });

  test("any JSON in place of any value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom("run", "matrix", "env", "checks", "retry", "if"),
        (value, key) =>
          whole(
            parsePipeline(
              JSON.stringify({ steps: { a: { run: "x", [key]: value } }, [key]: value }),
            ),
          ),
      ),
      { numRuns: 2000, seed: 5 },
    );
  });

  test("any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => whole(parsePipelineBytes(bytes))),
      { numRuns: 2000, seed: 5 },
    );
  });
});

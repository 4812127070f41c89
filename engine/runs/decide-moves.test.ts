// Decisions with artifacts: their texts are asked for by the step that names them, and not held longer than that.
import { ExpressionFailure, parsePipeline } from "@croft/pipeline";
import { expect, test } from "vitest";
import type { ArtifactTexts } from "./artifact-texts.ts";
import { decideMoves } from "./decide-moves.ts";
import type { RunState } from "./run-state.ts";

const STEPS = `
steps:
  make: { run: x, artifacts: { list: l.json, other: o.txt } }
  plain: { needs: [make], run: x }
  off: { needs: [make], if: "artifacts.make.other == 'no'", run: x }
  many: { needs: [make], if: "artifacts.make.other == 'yes'", matrix: { v: "\${{ fromJSON(artifacts.make.list) }}" }, run: x }
  bad: { needs: [make], matrix: { v: "\${{ fromJSON(artifacts.make.other) }}" }, run: x }
  later: { needs: [many], if: "artifacts.make.list", run: x }
`;

function scene(texts: () => ArtifactTexts) {
  const { pipeline } = parsePipeline(STEPS);
  if (pipeline === undefined) throw new Error("not a pipeline");
  const asked: string[] = [];
  const state: RunState = {
    ...{ status: "running", isCancelled: false },
    steps: pipeline.steps.map(({ id }) => ({
      ...{ step: id, item: "", status: id === "make" ? "done" : "pending" },
      ...{ isGroup: false, dependsOn: [], isLeftAlone: false },
    })),
  };
  const decide = () =>
    decideMoves(pipeline, state, {
      contextOf: () => ({}),
      textsOf: async ({ id }) => {
        asked.push(id);
        return texts();
      },
    });
  return { decide, asked };
}

test("only steps that can begin and name artifacts have them read", async () => {
  const { decide, asked } = scene(() => ({ make: { list: '["p", "q"]', other: "yes" } }));
  const moves = await decide();
  expect(moves).toMatchObject([
    { kind: "start", step: "plain" },
    { kind: "settle", step: "off", status: "skipped" },
    { kind: "expand", step: "many", items: [{ id: "p" }, { id: "q" }] },
    {
      kind: "settle",
      step: "bad",
      status: "failed",
      reason: expect.stringMatching(/^its matrix: /),
    },
  ]);
  expect(asked).toEqual(["off", "many", "bad"]);
});

test("what cannot be had fails the steps that name it, and no other", async () => {
  const { decide } = scene(() => {
    throw new ExpressionFailure("too much");
  });
  expect(await decide()).toMatchObject([
    { kind: "start", step: "plain" },
    { kind: "settle", step: "off", status: "failed", reason: "its condition: too much" },
    { kind: "settle", step: "many", status: "failed", reason: "its condition: too much" },
    { kind: "settle", step: "bad", status: "failed", reason: "its matrix: too much" },
  ]);
});

test("with very much to read, what is decided is done before the rest is looked at", async () => {
  const { decide, asked } = scene(() => ({
    make: { list: '["p"]', other: "yes".padEnd(17 * 1024 * 1024) },
  }));
  const moves = await decide();
  expect(moves.map((move) => ("step" in move ? move.step : move.kind))).toEqual(["plain", "off"]);
  expect(asked).toEqual(["off"]);
});

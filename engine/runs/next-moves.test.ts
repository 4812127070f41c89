// Whatever order things end in: steps start when they may, once, and every run comes to the same end.
import type { Pipeline } from "@croft/pipeline";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pendingRun, soundPipeline } from "../../test/support/pending-run.ts";
import { type Expressions, nextMoves } from "./next-moves.ts";
import { afterMove, hasEnded, type Move, type RunState, type StepState } from "./run-state.ts";

const usual: Expressions = {
  isWanted: (step, standing) =>
    step.if === "always()" || (step.if === "failure()" ? standing.failure : standing.success),
  itemsOf: (step) => {
    const values = ("matrix" in step ? step.matrix?.values["n"] : undefined) ?? [];
    const ids = (values as number[]).map(String);
    return ids.map((id) => ({ id, values: { n: id }, dependsOn: [] }));
  },
};

function nameOf(move: Move): string {
  if (!("step" in move)) return move.kind;
  const item = "item" in move && move.item !== "" ? `/${move.item}` : "";
  return `${move.kind} ${move.step}${item}`;
}

/** A run whose jobs end when the test says so. */
class PlayedRun {
  readonly pipeline: Pipeline;
  readonly told: Move[] = [];
  state: RunState;

  constructor(text: string) {
    this.pipeline = soundPipeline(text);
    this.state = pendingRun(this.pipeline);
    this.go();
  }

  go(): string[] {
    const names: string[] = [];
    for (;;) {
      const moves = nextMoves(this.pipeline, this.state, usual);
      if (moves.length === 0) return names;
      for (const move of moves) this.state = afterMove(this.state, move);
      this.told.push(...moves);
      names.push(...moves.map(nameOf));
    }
  }

  end(step: string, status: StepState["status"], item = ""): string[] {
    this.set(step, item, status);
    return this.go();
  }

  set(step: string, item: string, status: StepState["status"]): void {
    this.state = {
      ...this.state,
      steps: this.state.steps.map((each) =>
        each.step === step && each.item === item ? { ...each, status } : each,
      ),
    };
  }

  cancel(): string[] {
    this.state = { ...this.state, isCancelled: true };
    return this.go();
  }

  get open(): StepState[] {
    return this.state.steps.filter(
      ({ status, isGroup }) => !isGroup && (status === "running" || status === "waiting"),
    );
  }
}

const DIAMOND = `
repository: https://example.com/a.git
steps:
  a: { run: x }
  b: { needs: [a], run: x }
  c: { needs: [a], run: x }
  d: { needs: [b, c], run: x }
`;

test("steps without unmet needs start together", () => {
  const run = new PlayedRun(DIAMOND);
  expect(run.open.map(({ step }) => step)).toEqual(["a"]);
  expect(run.end("a", "done")).toEqual(["start b", "start c"]);
  expect(run.end("b", "done")).toEqual([]);
  expect(run.end("c", "done")).toEqual(["start d"]);
  expect(run.end("d", "done")).toEqual(["end"]);
  expect(run.state.status).toBe("done");
});

test("a failed step skips what needs it, others go on, and the run has failed", () => {
  const run = new PlayedRun(DIAMOND);
  run.end("a", "done");
  expect(run.end("b", "failed")).toEqual([]);
  expect(run.end("c", "done")).toEqual(["settle d", "end"]);
  expect(run.state.status).toBe("failed");
  expect(run.told.at(-2)).toMatchObject({
    status: "skipped",
    reason: "'b' did not succeed: failed",
  });
});

test("what may fail does not hold up anything; what asks for a failure runs only then", () => {
  const text = (extra: string) => `
repository: https://example.com/a.git
steps:
  a: { run: x${extra} }
  b: { needs: [a], run: x }
  mend: { needs: [a], if: failure(), run: x }
  tidy: { needs: [b], if: always(), run: x }
`;
  const tolerant = new PlayedRun(text(", continue-on-error: true"));
  expect(tolerant.end("a", "failed")).toEqual(["start b", "settle mend"]);
  expect(tolerant.end("b", "done")).toEqual(["start tidy"]);
  tolerant.end("tidy", "done");
  expect(tolerant.state.status).toBe("done");
  const strict = new PlayedRun(text(""));
  expect(strict.end("a", "failed")).toEqual(["settle b", "start mend", "start tidy"]);
  strict.end("mend", "done");
  strict.end("tidy", "done");
  expect(strict.state.status).toBe("failed");
});

test("items start within their limit, and an empty matrix succeeds", () => {
  const run = new PlayedRun(`
repository: https://example.com/a.git
steps:
  many: { run: x, matrix: { n: [1, 2, 3], max-parallel: 2 } }
  none: { run: x, matrix: { n: [] } }
  last: { needs: [many, none], run: x }
`);
  expect(run.open.map(({ item }) => item)).toEqual(["1", "2"]);
  expect(run.end("many", "failed", "1")).toEqual(["start many/3"]);
  run.end("many", "done", "2");
  expect(run.end("many", "done", "3")).toEqual(["settle many", "settle last", "end"]);
  expect(run.state.status).toBe("failed");
});

test("with fail-fast the first failure ends the others", () => {
  const run = new PlayedRun(`
repository: https://example.com/a.git
steps:
  many: { run: x, matrix: { n: [1, 2, 3], max-parallel: 2, fail-fast: true } }
`);
  expect(run.end("many", "failed", "1")).toEqual(["stop many/2", "settle many/3"]);
  expect(run.end("many", "cancelled", "2")).toEqual(["settle many", "end"]);
});

test("a run that only waits for a person gives its lane back, and gets in line again", () => {
  const run = new PlayedRun(`
repository: https://example.com/a.git
steps:
  a: { run: x }
  ask: { approval: {} }
  b: { needs: [ask, a], run: x }
`);
  expect(run.told.map(({ kind }) => kind)).toEqual(["start", "ask"]);
  expect(run.end("a", "done")).toEqual(["wait"]);
  expect(run.state.status).toBe("waiting");
  expect(run.end("ask", "done")).toEqual(["queue"]);
  run.state = { ...run.state, status: "running" };
  expect(run.go()).toEqual(["start b"]);
});

test("a cancelled run stops what runs, once, and starts only what runs always", () => {
  const run = new PlayedRun(`
repository: https://example.com/a.git
steps:
  a: { run: x }
  b: { needs: [a], run: x }
  tidy: { needs: [a], if: always(), run: x }
`);
  expect(run.cancel()).toEqual(["stop a"]);
  expect(run.go()).toEqual([]);
  expect(run.end("a", "cancelled")).toEqual(["settle b", "start tidy"]);
  expect(run.go()).toEqual([]);
  run.end("tidy", "done");
  expect(run.state.status).toBe("cancelled");
});

interface DrawnStep {
  readonly needs: readonly number[];
  readonly items: number;
  readonly maxParallel: number;
  readonly isTolerant: boolean;
  readonly outcome: readonly boolean[];
}

const drawnStep = (index: number): fc.Arbitrary<DrawnStep> =>
  fc.record({
    needs: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 3 }),
    items: fc.nat(4),
    maxParallel: fc.integer({ min: 1, max: 3 }),
    isTolerant: fc.boolean(),
    outcome: fc.array(
      fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
      { minLength: 5, maxLength: 5 },
    ),
  });

const drawnSteps = fc
  .integer({ min: 1, max: 7 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => drawnStep(index))));

function textOf(steps: readonly DrawnStep[]): string {
  const lines = steps.map(({ needs, items, maxParallel, isTolerant }, index) => {
    const list = Array.from({ length: items }, (_, n) => n).join(", ");
    const matrix = items === 0 ? "" : `, matrix: { n: [${list}], max-parallel: ${maxParallel} }`;
    const wanted = needs.map((need) => `s${need}`).join(", ");
    return `  s${index}: { run: x, needs: [${wanted}], continue-on-error: ${isTolerant}${matrix} }`;
  });
  return `repository: https://example.com/a.git\nsteps:\n${lines.join("\n")}\n`;
}

/** Ends what is open in the order that `choices` says, with the outcome each has anyway. */
function play(steps: readonly DrawnStep[], choices: readonly number[]): PlayedRun {
  const run = new PlayedRun(textOf(steps));
  for (let turn = 0; run.open.length > 0; turn++) {
    const { open } = run;
    const chosen = open[(choices[turn % choices.length] ?? 0) % open.length];
    if (chosen === undefined) break;
    const { step, item } = chosen;
    const outcome = steps[Number(step.slice(1))]?.outcome[item === "" ? 0 : Number(item)];
    run.end(step, outcome === true ? "done" : "failed", item);
    requireOrder(run, steps);
  }
  return run;
}

function requireOrder({ state }: PlayedRun, steps: readonly DrawnStep[]): void {
  const main = new Map(
    state.steps.filter(({ item }) => item === "").map((each) => [each.step, each]),
  );
  for (const [index, { needs, maxParallel }] of steps.entries()) {
    const own = state.steps.filter(({ step }) => step === `s${index}`);
    const isBegun = own.some(({ status }) => status === "running" || status === "done");
    const hasNeeds = needs.every((need) => hasEnded(main.get(`s${need}`) ?? { status: "pending" }));
    if (isBegun && !hasNeeds) throw new Error("too early");
    const running = own.filter(({ item, status }) => item !== "" && status === "running");
    if (running.length > maxParallel) throw new Error("too many at once");
  }
}

test("in whatever order jobs end, each starts once, none too early, and the end is the same", () => {
  const choices = fc.array(fc.nat(20), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(drawnSteps, choices, choices, (steps, one, other) => {
      const first = play(steps, one);
      const second = play(steps, other);
      for (const run of [first, second]) {
        expect(["done", "failed"]).toContain(run.state.status);
        expect(run.state.steps.every(hasEnded)).toBe(true);
        const started = run.told
          .filter(({ kind }) => kind === "start")
          .map((move) => JSON.stringify(move));
        expect(new Set(started).size).toBe(started.length);
        expect(run.go()).toEqual([]);
      }
      const ends = (run: PlayedRun) =>
        run.state.steps.map(({ step, item, status }) => `${step}/${item} ${status}`).sort();
      expect(ends(second)).toEqual(ends(first));
    }),
    { numRuns: 1000, seed: 20261116 },
  );
});

// The way in which processes go on with a run, on a model of the database: whatever comes in between, nothing is forgotten or done twice.
import type { Pipeline } from "@croft/pipeline";
import fc from "fast-check";
import { type Expressions, nextMoves } from "../../engine/runs/next-moves.ts";
import {
  afterMove,
  hasEnded,
  type Move,
  type RunState,
  type StepState,
} from "../../engine/runs/run-state.ts";
import { pendingRun, soundPipeline } from "../support/pending-run.ts";
import type { Interleaving } from "./interleave-locks.ts";

interface DrawnStep {
  readonly needs: readonly number[];
  readonly items: number;
  readonly isTolerant: boolean;
  readonly failing: readonly number[];
}

const drawnStep = (index: number): fc.Arbitrary<DrawnStep> =>
  fc.record({
    needs: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 2 }),
    items: fc.nat(3),
    isTolerant: fc.boolean(),
    failing: fc.uniqueArray(fc.nat(3), { maxLength: 1 }),
  });
const drawnSteps = fc
  .integer({ min: 1, max: 4 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => drawnStep(index))));

const EXPRESSIONS: Expressions = {
  isWanted: (_step, standing) => standing.success,
  itemsOf: (step) => {
    const values = ("matrix" in step ? step.matrix?.values["n"] : undefined) ?? [];
    return (values as number[]).map((n) => ({ id: String(n), values: { n }, dependsOn: [] }));
  },
};

export async function interleaveAdvance({ seed, count }: Interleaving): Promise<void> {
  const property = fc.asyncProperty(
    fc.scheduler(),
    drawnSteps,
    fc.boolean(),
    async (scheduler, steps, isCancelled) => {
      const pipeline = pipelineOf(steps);
      const run = new ModelRun(scheduler, pipeline, steps);
      run.markDue();
      if (isCancelled) run.later(() => run.cancel());
      await scheduler.waitFor(run.quiet());
      run.requireEnd();
      if (isCancelled) return;
      const serial = endsOf(playAlone(pipeline, steps));
      const told = endsOf(run.state);
      if (told !== serial) throw new Error(`it ended as ${told}, alone as ${serial}`);
    },
  );
  await fc.assert(property, { seed, numRuns: count });
}

function pipelineOf(steps: readonly DrawnStep[]): Pipeline {
  const lines = steps.map(({ needs, items, isTolerant }, index) => {
    const list = Array.from({ length: items }, (_, n) => n).join(", ");
    const matrix = items === 0 ? "" : `, matrix: { n: [${list}], max-parallel: 2 }`;
    const wanted = needs.map((need) => `s${need}`).join(", ");
    return `  s${index}: { run: x, needs: [${wanted}], continue-on-error: ${isTolerant}${matrix} }`;
  });
  const text = `repository: https://example.com/a.git\nsteps:\n${lines.join("\n")}\n`;
  return soundPipeline(text);
}

function outcomeOf(steps: readonly DrawnStep[], step: string, item: string): "done" | "failed" {
  const drawn = steps[Number(step.slice(1))];
  return drawn?.failing.includes(Number(item === "" ? 0 : item)) === true ? "failed" : "done";
}

function settled(state: RunState, key: string, status: StepState["status"]): RunState {
  const change = (each: StepState) => (keyOf(each) === key ? { ...each, status } : each);
  return { ...state, steps: state.steps.map(change) };
}

function keyOf({ step, item }: Pick<StepState, "step" | "item">): string {
  return `${step}/${item}`;
}

function endsOf({ status, steps }: RunState): string {
  const ends = steps.map((each) => `${keyOf(each)} ${each.status}`).sort();
  return [status, ...ends].join(", ");
}

/** One job at a time, one who goes on. */
function playAlone(pipeline: Pipeline, steps: readonly DrawnStep[]): RunState {
  let state = pendingRun(pipeline);
  for (;;) {
    const moves = nextMoves(pipeline, state, EXPRESSIONS);
    for (const move of moves) state = afterMove(state, move);
    if (moves.length > 0) continue;
    const open = state.steps.find(({ status, isGroup }) => status === "running" && !isGroup);
    if (open === undefined) return state;
    state = settled(state, keyOf(open), outcomeOf(steps, open.step, open.item));
  }
}

/** What several processes see of one run: its row with a lock, the jobs, and the list of what is due. */
class ModelRun {
  state: RunState;
  readonly #scheduler: fc.Scheduler;
  readonly #pipeline: Pipeline;
  readonly #steps: readonly DrawnStep[];
  readonly #jobs = new Map<string, StepState["status"]>();
  readonly #asked = new Set<string>();
  readonly #started: string[] = [];
  readonly #working = new Set<Promise<void>>();
  #due = 0;
  #isLocked = false;

  constructor(scheduler: fc.Scheduler, pipeline: Pipeline, steps: readonly DrawnStep[]) {
    this.#scheduler = scheduler;
    this.#pipeline = pipeline;
    this.#steps = steps;
    this.state = pendingRun(pipeline);
  }

  later(work: () => Promise<void>): void {
    const working = work().finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async quiet(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Two processes hear of it. */
  markDue(): void {
    this.#due++;
    this.later(() => this.#advance());
    this.later(() => this.#advance());
  }

  async cancel(): Promise<void> {
    do await this.#pause("cancel");
    while (this.#isLocked);
    this.state = { ...this.state, isCancelled: true };
    this.markDue();
  }

  /** As `advanceRun`: whoever finds it locked leaves it due, and looks again. */
  async #advance(): Promise<void> {
    await this.#pause("look");
    if (this.#due === 0) return;
    if (this.#isLocked) return await this.#advance();
    this.#isLocked = true;
    this.#due = 0;
    await this.#pause("read");
    let state = this.#takeOver(this.state);
    const done: Move[] = [];
    for (;;) {
      const moves = nextMoves(this.#pipeline, state, EXPRESSIONS);
      if (moves.length === 0) break;
      for (const move of moves) state = afterMove(state, move);
      done.push(...moves);
    }
    await this.#pause("commit");
    this.state = state;
    this.#isLocked = false;
    for (const move of done) this.#carryOut(move);
  }

  #takeOver(state: RunState): RunState {
    let next = state;
    for (const each of state.steps) {
      const ended = each.status === "running" ? this.#jobs.get(keyOf(each)) : undefined;
      if (ended !== undefined && ended !== "running") next = settled(next, keyOf(each), ended);
    }
    return next;
  }

  #carryOut(move: Move): void {
    if (move.kind === "stop") this.#asked.add(keyOf(move));
    if (move.kind !== "start") return;
    const key = keyOf(move);
    if (this.#jobs.has(key)) throw new Error(`'${key}' was started twice`);
    this.#started.push(key);
    this.#jobs.set(key, "running");
    this.later(() => this.#work(move.step, move.item));
  }

  async #work(step: string, item: string): Promise<void> {
    const key = `${step}/${item}`;
    await this.#pause(`end ${key}`);
    const outcome = outcomeOf(this.#steps, step, item);
    this.#jobs.set(key, this.#asked.has(key) ? "cancelled" : outcome);
    this.markDue();
  }

  async #pause(what: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), what);
  }

  requireEnd(): void {
    const { status, steps } = this.state;
    if (status === "running") throw new Error(`it waits for nothing: ${endsOf(this.state)}`);
    if (!steps.every(hasEnded)) throw new Error(`it ended too early: ${endsOf(this.state)}`);
    const main = new Map(steps.filter(({ item }) => item === "").map((each) => [each.step, each]));
    for (const key of this.#started) {
      const index = Number(key.slice(1, key.indexOf("/")));
      for (const need of this.#steps[index]?.needs ?? []) {
        const isGood = main.get(`s${need}`)?.status === "done" || this.#steps[need]?.isTolerant;
        if (isGood !== true) throw new Error(`'${key}' ran although 's${need}' had not succeeded`);
      }
    }
  }
}

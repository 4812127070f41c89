// Decides what a run does next. Knows neither time nor database, so that every order of events can be tried.
import type { Pipeline, Step } from "@croft/pipeline";
import { hasEnded, type Move, type NewItem, type RunState, type StepState } from "./run-state.ts";

/** How the steps before stand, for `success()` and its like. */
export interface Standing {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

/** What only expressions can tell; a text is the reason why they cannot. Undefined: not looked at yet. */
export interface Expressions {
  isWanted(step: Step, standing: Standing): boolean | { readonly fault: string } | undefined;
  itemsOf(step: Step): readonly NewItem[] | { readonly fault: string };
}

const NEEDS_LANE: ReadonlySet<Move["kind"]> = new Set(["start", "expand", "resume"]);

/** What follows at once from this state; none when it has to wait for something. Ask again when it is done. */
export function nextMoves(
  pipeline: Pipeline,
  state: RunState,
  expressions: Expressions,
): readonly Move[] {
  const { status } = state;
  if (status !== "running" && status !== "waiting") return [];
  const run = viewOf(pipeline, state);
  const moves: Move[] = [];
  for (const step of pipeline.steps) {
    const main = run.main(step.id);
    if (hasEnded(main)) continue;
    if (main.status === "pending") moves.push(...begin(run, step, expressions));
    else moves.push(...goOn(run, step), ...resume(run, step));
  }
  if (status === "waiting" && moves.some(needsLane)) {
    const others = moves.filter((move) => !needsLane(move)); // no lane is needed to end or to ask
    return others.length > 0 ? others : [{ kind: "queue" }];
  }
  if (moves.length > 0) return moves;
  if (pipeline.steps.every(({ id }) => hasEnded(run.main(id)))) {
    return [{ kind: "end", status: run.result() }];
  }
  if (status === "running" && run.waitsForPeople()) return [{ kind: "wait" }];
  return [];
}

function needsLane({ kind }: Move): boolean {
  return NEEDS_LANE.has(kind);
}

/** The steps about which expressions are asked, in the order of the file. */
export function* beginningSteps(
  pipeline: Pipeline,
  state: RunState,
): Generator<{ readonly step: Step; readonly standing: Standing }> {
  if (state.isForced === true) return;
  const run = viewOf(pipeline, state);
  for (const step of pipeline.steps) {
    if (run.canBegin(step)) yield { step, standing: run.standing(step) };
  }
}

/** A step that has not begun, and whose needs have all ended. */
function begin(run: RunView, step: Step, { isWanted, itemsOf }: Expressions): Move[] {
  const { id } = step;
  if (!run.canBegin(step)) return [];
  const settle = (status: "done" | "failed" | "skipped" | "cancelled", reason?: string): Move[] => [
    { kind: "settle", step: id, item: "", status, reason },
  ];
  if (run.state.isForced === true) return settle("cancelled", "the run was cancelled");
  const standing = run.standing(step);
  const wanted = isWanted(step, standing);
  if (wanted === undefined) return [];
  if (typeof wanted === "object") return settle("failed", wanted.fault);
  if (!wanted) {
    if (standing.cancelled) return settle("cancelled", "the run was cancelled");
    return settle("skipped", run.whySkipped(step));
  }
  if (step.kind === "approval") return [{ kind: "ask", step: id, item: "" }];
  if (!("matrix" in step) || step.matrix === undefined) {
    return [{ kind: "start", step: id, item: "" }];
  }
  const items = itemsOf(step);
  if ("fault" in items) return settle("failed", items.fault);
  return items.length === 0
    ? settle("done", "the matrix has no items")
    : [{ kind: "expand", step: id, items }];
}

/** A step that has begun. */
function goOn(run: RunView, step: Step): Move[] {
  const main = run.main(step.id);
  if (!main.isGroup) return run.state.isCancelled ? giveUp(main, "the run was cancelled") : [];
  return goOnWithItems(run, step);
}

/** Sub-pipelines in which somebody has answered. */
function resume(run: RunView, { id }: Step): Move[] {
  return [run.main(id), ...run.items(id)].flatMap(({ status, child, step, item }): Move[] =>
    status === "running" && child === "queued" ? [{ kind: "resume", step, item }] : [],
  );
}

function goOnWithItems(run: RunView, step: Step): Move[] {
  const items = run.items(step.id);
  if (items.every(hasEnded)) {
    const isDone = items.every(({ status }) => status === "done");
    const isCancelled =
      run.state.isCancelled &&
      items.every(({ status }) => status === "done" || status === "cancelled");
    const status = isDone ? "done" : isCancelled ? "cancelled" : "failed";
    return [{ kind: "settle", step: step.id, item: "", status }];
  }
  const matrix = "matrix" in step ? step.matrix : undefined;
  const hasFailed = items.some(({ status }) => status === "failed");
  if (run.state.isCancelled) return items.flatMap((item) => giveUp(item, "the run was cancelled"));
  if (matrix?.failFast === true && hasFailed) {
    return items.flatMap((item) => giveUp(item, "another item failed"));
  }
  const byId = new Map(items.map((item) => [item.item, item]));
  const blocked = items.filter(
    ({ status, dependsOn }) =>
      status === "pending" && dependsOn.some((id) => hasFallen(byId.get(id))),
  );
  if (blocked.length > 0) {
    return blocked.map(({ item }) => ({
      ...{ kind: "settle", step: step.id, item, status: "skipped" },
      reason: "an item that it depends on did not succeed",
    }));
  }
  const running = items.filter(({ status }) => status === "running").length;
  const room = (matrix?.maxParallel ?? items.length) - running;
  const ready = items.filter(
    ({ status, dependsOn }) =>
      status === "pending" && dependsOn.every((id) => byId.get(id)?.status === "done"),
  );
  return ready
    .slice(0, Math.max(0, room))
    .map(({ item }) => ({ kind: "start", step: step.id, item }));
}

function hasFallen(item: StepState | undefined): boolean {
  return item === undefined || (hasEnded(item) && item.status !== "done");
}

function giveUp(state: StepState, reason: string): Move[] {
  const { step, item, status } = state;
  if (status === "pending" || status === "waiting")
    return [{ kind: "settle", step, item, status: "cancelled", reason }];
  return hasEnded(state) ? [] : stop(state);
}

function stop({ step, item, isLeftAlone }: StepState): Move[] {
  return isLeftAlone ? [] : [{ kind: "stop", step, item }];
}

const known = new WeakMap<Pipeline, ReadonlyMap<string, Step>>();

/** By id. The same for every state of its runs. */
export function stepsOf(pipeline: Pipeline): ReadonlyMap<string, Step> {
  const found = known.get(pipeline) ?? new Map(pipeline.steps.map((step) => [step.id, step]));
  known.set(pipeline, found);
  return found;
}

const views = new WeakMap<RunState, RunView>();

/** Of one run: two questions are asked of every state. */
function viewOf(pipeline: Pipeline, state: RunState): RunView {
  const view = views.get(state) ?? new RunView(pipeline, state);
  views.set(state, view);
  return view;
}

/** Questions about one state. */
class RunView {
  readonly state: RunState;
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #main = new Map<string, StepState>();
  readonly #items = new Map<string, StepState[]>();
  readonly #hasFailed: boolean;

  constructor(pipeline: Pipeline, state: RunState) {
    this.state = state;
    this.#steps = stepsOf(pipeline);
    for (const each of state.steps) {
      const items = this.#items.get(each.step);
      if (each.item === "") this.#main.set(each.step, each);
      else if (items === undefined) this.#items.set(each.step, [each]);
      else items.push(each);
    }
    this.#hasFailed = [...this.#main.values()].some(({ status }) => status === "failed");
  }

  main(id: string): StepState {
    const found = this.#main.get(id);
    if (found === undefined) throw new Error(`the run has no step '${id}'`);
    return found;
  }

  items(id: string): readonly StepState[] {
    return this.#items.get(id) ?? [];
  }

  canBegin({ id, needs }: Step): boolean {
    return this.main(id).status === "pending" && needs.every((need) => hasEnded(this.main(need)));
  }

  standing({ needs }: Step): Standing {
    return {
      success: !this.state.isCancelled && needs.every((need) => this.#isGood(need)),
      failure: this.#hasFailed && this.#hasFailedAbove(needs),
      cancelled: this.state.isCancelled,
    };
  }

  /** However far away. */
  #hasFailedAbove(needs: readonly string[]): boolean {
    const seen = new Set(needs);
    for (const id of seen) {
      if (this.main(id).status === "failed" && !this.#isGood(id)) return true;
      for (const further of this.#steps.get(id)?.needs ?? []) seen.add(further);
    }
    return false;
  }

  whySkipped({ needs }: Step): string {
    const bad = needs.find((need) => !this.#isGood(need));
    return bad === undefined
      ? "its condition is not true"
      : `'${bad}' did not succeed: ${this.main(bad).status}`;
  }

  /** Nothing runs, and somebody has been asked. */
  waitsForPeople(): boolean {
    const open = [...this.#main.values(), ...[...this.#items.values()].flat()].filter(
      (each) => !hasEnded(each) && each.status !== "pending" && !each.isGroup,
    );
    return (
      open.length > 0 &&
      open.every(({ status, child }) => status === "waiting" || child === "waiting")
    );
  }

  result(): "done" | "failed" | "cancelled" {
    const all = [...this.#main.values()];
    if (all.some(({ step, status }) => status === "failed" && !this.#isGood(step))) return "failed";
    return all.some(({ status }) => status === "cancelled") ? "cancelled" : "done";
  }

  #isGood(id: string): boolean {
    const { status } = this.main(id);
    return (
      status === "done" || (status === "failed" && this.#steps.get(id)?.continueOnError === true)
    );
  }
}

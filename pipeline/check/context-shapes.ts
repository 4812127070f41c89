// What expressions may name at each place of a pipeline, as far as the file tells.
import {
  ANY,
  type MemberShape,
  members,
  SCALAR,
  scalars,
  shapeOfValues,
  type ValueShape,
} from "../expression/value-shape.ts";
import { MATRIX_OPTIONS, type MatrixFields } from "../format/matrix-fields.ts";
import type { StepFields } from "../format/step-fields.ts";
import type { Graph } from "../graph.ts";
import type { JsonValue } from "../yaml/yaml-node.ts";
import type { Draft } from "./draft.ts";
import { listOf } from "./list.ts";
import { stepKind } from "./step-kind.ts";

export const RUN_MEMBERS: readonly string[] = ["id", "number", "name", "attempt", "started_by"];
export const REPOSITORY_MEMBERS: readonly string[] = ["name", "owner", "url", "ref", "commit"];

export const CONTEXTS: readonly string[] = [
  ...["inputs", "env", "matrix", "needs", "steps", "artifacts", "run", "repository", "event"],
];

/** The contexts of one place; what exists elsewhere only is refused with the reason. */
export function contextsOf(
  place: string,
  given: Readonly<Record<string, ValueShape | undefined>>,
): MemberShape {
  const entries = Object.entries(given).flatMap(([name, shape]): [string, ValueShape][] =>
    shape === undefined ? [] : [[name, shape]],
  );
  return members("name", entries, (name) => {
    const folded = name.toLowerCase();
    if (folded === "secrets") {
      return "secrets cannot be used in expressions: list them in 'secrets' and read $CROFT_SECRETS/<name>";
    }
    if (folded === "github") return "there is no 'github': use 'event', 'repository' and 'run'";
    if (folded === "matrix" && "matrix" in given)
      return "'matrix' is empty: the step has no matrix";
    return CONTEXTS.includes(folded) ? `'${name}' is not available in ${place}` : undefined;
  });
}

export class ContextShapes {
  readonly #draft: Draft;
  readonly #graph: Graph | undefined;
  readonly #states = new Map<string, ValueShape>();
  readonly #artifactsOf = new Map<string, ValueShape>();
  /** Steps have several expressions, one after the other: what was found for the last step is kept. */
  #last: { readonly id: string; readonly shapes: Record<string, ValueShape> } | undefined;

  constructor(draft: Draft, graph: Graph | undefined) {
    this.#draft = draft;
    this.#graph = graph;
  }

  /** Known before a run has a repository. */
  first(): Record<string, ValueShape> {
    const { inputs } = this.#draft.header;
    const known = scalars("input", Object.keys(inputs ?? {}));
    return { inputs: this.#draft.lost.has("inputs") ? ANY : known, event: ANY };
  }

  /** Known when the run begins. */
  beginning(): Record<string, ValueShape> {
    return {
      ...this.first(),
      run: scalars("member of 'run'", RUN_MEMBERS),
      repository: scalars("member of 'repository'", REPOSITORY_MEMBERS),
    };
  }

  /** Known when the run has ended. */
  end(): Record<string, ValueShape> {
    const all = [...this.#draft.steps.keys()];
    return { ...this.beginning(), env: this.#env(), ...this.#results(all, "the pipeline") };
  }

  /** Known when a step is to begin, before its items are made. */
  before(id: string): Record<string, ValueShape> {
    if (this.#last?.id !== id) this.#last = { id, shapes: this.#shapesBefore(id) };
    return this.#last.shapes;
  }

  #shapesBefore(id: string): Record<string, ValueShape> {
    const needs = this.#graph?.needs.get(id) ?? listOf(this.#draft.steps.get(id)?.needs);
    const ancestors = [...(this.#graph?.ancestors.get(id) ?? this.#draft.steps.keys())];
    return {
      ...this.beginning(),
      env: this.#env(),
      needs: members("step", this.#statesOf(needs), (name) => this.#whyNotNeeded(id, name)),
      ...this.#results(ancestors, `'${id}'`, id),
    };
  }

  /** Known in one item, or in a step without a matrix. */
  inside(id: string, step: StepFields): Record<string, ValueShape | undefined> {
    return {
      ...this.before(id),
      matrix: step.matrix === undefined ? undefined : matrixShape(step.matrix),
    };
  }

  withEnv(id: string, step: StepFields): Record<string, ValueShape | undefined> {
    return { ...this.inside(id, step), env: this.#env(step) };
  }

  #env(step?: StepFields): ValueShape {
    const { env = {} } = this.#draft.header;
    if (this.#draft.lost.has("env")) return ANY;
    return scalars("variable", [...Object.keys(env), ...Object.keys(step?.env ?? {})]);
  }

  #results(ids: readonly string[], who: string, id?: string): Record<string, ValueShape> {
    const why = (name: string) => (id === undefined ? undefined : this.#whyNotBefore(id, name));
    const artifacts = ids.map((each): [string, ValueShape] => [each, this.#artifacts(each)]);
    return {
      steps: members(`step before ${who}`, this.#statesOf(ids), why),
      artifacts: { ...members(`step before ${who}`, artifacts, why), isLiteral: true },
    };
  }

  #statesOf(ids: readonly string[]): [string, ValueShape][] {
    return ids.map((id) => [id, this.#state(id)]);
  }

  #whyNotNeeded(id: string, name: string): string | undefined {
    if (this.#graph?.ancestors.get(id)?.has(name))
      return `'${id}' needs '${name}' only through others: use steps.${name}`;
    return this.#whyNotBefore(id, name);
  }

  #whyNotBefore(id: string, name: string): string | undefined {
    if (name === id) return `step '${id}' has no result yet`;
    return this.#draft.steps.has(name)
      ? `'${id}' does not need '${name}': add it to its needs`
      : undefined;
  }

  #state(id: string): ValueShape {
    const known = this.#states.get(id);
    if (known !== undefined) return known;
    const step = this.#draft.steps.get(id);
    const shape = step === undefined || this.#draft.broken.has(id) ? ANY : stateShape(id, step);
    this.#states.set(id, shape);
    return shape;
  }

  #artifacts(id: string): ValueShape {
    const known = this.#artifactsOf.get(id) ?? this.#artifactShape(id);
    this.#artifactsOf.set(id, known);
    return known;
  }

  #artifactShape(id: string): ValueShape {
    const step = this.#draft.steps.get(id);
    if (step === undefined || this.#draft.broken.has(id)) return ANY;
    const names = Object.keys(step.artifacts ?? {});
    const what = `artifact of step '${id}'`;
    if (step.matrix === undefined) return { ...scalars(what, names), isLiteral: true };
    const reason = `step '${id}' has a matrix, so each item has its own artifacts: use 'inject'`;
    return members(what, [], () => reason);
  }
}

/** What `needs.<step>` holds, by the kind of the step. */
function stateShape(id: string, step: StepFields): ValueShape {
  const what = `member of step '${id}'`;
  const outputs = scalars(`output of step '${id}'`, step.outputs ?? []);
  if (step.matrix !== undefined) {
    const item = members("member of an item", [
      ...base(outputs),
      ["id", SCALAR],
      ["commit", SCALAR],
    ]);
    const state: [string, ValueShape][] = [
      ["result", SCALAR],
      ["items", { kind: "list", of: item }],
    ];
    return members(what, state, (name) =>
      ["outputs", "commit"].includes(name)
        ? `step '${id}' has a matrix: its items have '${name}', as in items.*.${name}`
        : undefined,
    );
  }
  switch (stepKind(step)) {
    case "run":
      return members(what, [...base(outputs), ["commit", SCALAR]]);
    case "uses":
      return members(what, base(outputs));
    case "integrate":
      return members(what, [
        ...[["result", SCALAR] as const, ["commit", SCALAR] as const],
        ["integrated", { kind: "list", of: SCALAR }],
        ["conflicts", { kind: "list", of: members("member of a conflict", CONFLICT) }],
      ]);
    case "approval":
      return scalars(what, ["result", "approved_by", "approved_at"]);
    case "publish":
      return publishShape(id, what, step);
    case "comment":
      return members(what, base(scalars(`output of step '${id}'`, ["id", "url"])));
    default:
      return ANY;
  }
}

function publishShape(id: string, what: string, step: StepFields): ValueShape {
  const own = (["result", "commit", "branch"] as const).map((name) => [name, SCALAR] as const);
  if (step.publish?.["pull-request"] === undefined) return members(what, own);
  const outputs = scalars(`output of step '${id}'`, ["number", "url"]);
  return members(what, [...own, ["outputs", outputs]]);
}

const CONFLICT: readonly [string, ValueShape][] = [
  ["id", SCALAR],
  ["files", { kind: "list", of: SCALAR }],
];

function base(outputs: ValueShape): [string, ValueShape][] {
  return [
    ["result", SCALAR],
    ["outputs", outputs],
  ];
}

export function matrixShape(matrix: MatrixFields): ValueShape {
  const { include } = matrix;
  if (typeof include === "string") return ANY;
  const names = Object.keys(matrix).filter((name) => !MATRIX_OPTIONS.includes(name));
  const added = (include ?? []) as readonly Readonly<Record<string, JsonValue>>[];
  const all = new Set([...names, ...added.flatMap((values) => Object.keys(values))]);
  return members(
    "matrix value",
    [...all].map((name) => {
      const list = matrix[name];
      if (typeof list === "string") return [name, ANY];
      const more = added.flatMap((values) =>
        Object.hasOwn(values, name) ? [values[name] ?? null] : [],
      );
      const values = [...((list ?? []) as readonly JsonValue[]), ...more];
      return [name, shapeOfValues(values, `member of 'matrix.${name}'`)];
    }),
  );
}

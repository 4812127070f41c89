// The library's evaluator, which counts what it does.
import { data, Evaluator, Expr } from "@actions/expressions";
import { Binary, IndexAccess, Star } from "@actions/expressions/ast";
import { FilteredArray } from "@actions/expressions/filtered_array";
import { COST, type ExpressionWork } from "./expression-work.ts";

type EvaluatorArguments = ConstructorParameters<typeof Evaluator>;

export class CountingEvaluator extends Evaluator {
  readonly #work: ExpressionWork;

  constructor(
    tree: EvaluatorArguments[0],
    scope: EvaluatorArguments[1],
    functions: EvaluatorArguments[2],
    work: ExpressionWork,
  ) {
    super(tree, scope, functions);
    this.#work = work;
  }

  protected override eval(node: Expr): data.ExpressionData {
    this.#work.spend(COST.node);
    return super.eval(node);
  }

  /** Texts are compared whole, whatever their case. */
  override visitBinary({ left, operator, right }: Binary): data.ExpressionData {
    const [first, second] = [this.eval(left), this.eval(right)];
    this.#work.spend(first.coerceString().length + second.coerceString().length);
    return super.visitBinary(new Binary(new Known(first), operator, new Known(second)));
  }

  /** `.*`, and what is asked of each behind it, go through everything. */
  override visitIndexAccess({ expr, index }: IndexAccess): data.ExpressionData {
    const owner = this.eval(expr);
    const isFilter = owner instanceof FilteredArray;
    if (index instanceof Star || isFilter) this.#work.spend(membersOf(owner) * COST.value);
    const result = super.visitIndexAccess(new IndexAccess(new Known(owner), index));
    if (isFilter) this.#work.spend(membersOf(result) * COST.value);
    return result;
  }
}

function membersOf(value: data.ExpressionData): number {
  const isCollection = value.kind === data.Kind.Array || value.kind === data.Kind.Dictionary;
  return isCollection ? value.values().length : 0;
}

/** Has been evaluated already. */
class Known extends Expr {
  readonly #value: unknown;

  constructor(value: data.ExpressionData) {
    super();
    this.#value = value;
  }

  override accept<Result>(): Result {
    return this.#value as Result;
  }
}

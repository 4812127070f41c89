// Walks a template and tells every name that does not exist, before anything runs: the evaluator would give null.
import type { Expr } from "@actions/expressions";
import {
  Binary,
  ContextAccess,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Star,
  Unary,
} from "@actions/expressions/ast";
import type { Token } from "@actions/expressions/lexer";
import { didYouMean } from "../nearest-name.ts";
import type { Expression } from "./expression.ts";
import { FUNCTIONS, STATUS_FUNCTIONS } from "./functions.ts";
import type { Template, TemplateFault } from "./template.ts";
import { ANY, type MemberShape, memberOf, SCALAR, type ValueShape } from "./value-shape.ts";
import { childrenOf } from "./walk-expression.ts";

/** What may be named at one place of a pipeline. */
export interface ExpressionScope {
  readonly contexts: MemberShape;
  /** always(), success(), failure(), cancelled(). */
  readonly hasStatus: boolean;
}

export function checkTemplate({ parts }: Template, scope: ExpressionScope): TemplateFault[] {
  return parts.flatMap((part) => {
    if (typeof part === "string") return [];
    const check = new ExpressionCheck(part.expression, scope);
    check.shapeOf(part.expression.tree);
    return check.faults.map((fault) => ({ ...fault, offset: part.offset + fault.offset }));
  });
}

class ExpressionCheck {
  readonly faults: TemplateFault[] = [];
  readonly #offsetOf: Expression["offsetOf"];
  readonly #scope: ExpressionScope;

  constructor({ offsetOf }: Expression, scope: ExpressionScope) {
    this.#offsetOf = offsetOf;
    this.#scope = scope;
  }

  shapeOf(node: Expr): ValueShape {
    if (node instanceof Literal) return SCALAR;
    if (node instanceof Grouping) return this.shapeOf(node.group);
    if (node instanceof ContextAccess)
      return this.#member(this.#scope.contexts, node.name.lexeme, node.name);
    if (node instanceof FunctionCall) return this.#call(node);
    if (node instanceof IndexAccess) return this.#index(node);
    for (const child of childrenOf(node)) this.shapeOf(child);
    return node instanceof Unary || node instanceof Binary ? SCALAR : ANY;
  }

  #call(node: FunctionCall): ValueShape {
    for (const argument of node.args) this.shapeOf(argument);
    const name = node.functionName.lexeme.toLowerCase();
    const isStatus = STATUS_FUNCTIONS.includes(name);
    if (!FUNCTIONS.has(name)) {
      const known = [...FUNCTIONS.values()].map((each) => each.name);
      this.#tell(
        node.functionName,
        `unknown function '${node.functionName.lexeme}'`,
        didYouMean(name, known),
      );
    } else if (isStatus && !this.#scope.hasStatus) {
      this.#tell(node.functionName, `'${node.functionName.lexeme}()' can be used in 'if' only`);
    }
    return name === "fromjson" || name === "case" ? ANY : SCALAR;
  }

  #index({ expr, index }: IndexAccess): ValueShape {
    const owner = this.shapeOf(expr);
    if (index instanceof Star) return { kind: "list", of: eachOf(owner) };
    if (!(index instanceof Literal)) {
      this.shapeOf(index);
      if (owner.kind === "members" && owner.isLiteral === true) {
        this.#tell(
          firstToken(expr),
          `the name of an ${owner.what} must be written out, not computed`,
        );
      }
      return owner.kind === "list" ? owner.of : ANY;
    }
    const name = index.literal.coerceString();
    switch (owner.kind) {
      case "members":
        return this.#member(owner, name, index.token);
      case "list":
        return /^\d+$/.test(name) ? owner.of : this.#memberOfEach(owner.of, name, index.token);
      case "scalar":
        this.#tell(
          index.token,
          `'${name}' does not exist: what stands before it is a single value`,
        );
        return ANY;
      default:
        return ANY;
    }
  }

  /** `needs.build.items.*.result`: a member of each. */
  #memberOfEach(each: ValueShape, name: string, token: Token): ValueShape {
    if (each.kind === "members") return { kind: "list", of: this.#member(each, name, token) };
    return { kind: "list", of: ANY };
  }

  #member(owner: MemberShape, name: string, token: Token): ValueShape {
    const found = memberOf(owner, name);
    if (found !== undefined) return found;
    const reason = owner.refusal?.(name);
    if (reason !== undefined) {
      this.#tell(token, reason);
      return ANY;
    }
    const names = [...owner.members.keys()];
    const few = names.length > 0 && names.length <= 8 ? `known are ${names.join(", ")}` : undefined;
    this.#tell(token, `unknown ${owner.what} '${name}'`, didYouMean(name, names) ?? few);
    return ANY;
  }

  #tell(token: Token | undefined, message: string, suggestion?: string): void {
    const offset = token === undefined ? 0 : this.#offsetOf(token);
    this.faults.push(
      suggestion === undefined ? { offset, message } : { offset, message, suggestion },
    );
  }
}

function eachOf(owner: ValueShape): ValueShape {
  if (owner.kind === "list") return owner.of;
  if (owner.kind !== "members") return ANY;
  const shapes = [...owner.members.values()];
  return shapes.every(({ kind }) => kind === "scalar") ? SCALAR : ANY;
}

function firstToken(node: Expr): Token | undefined {
  if (node instanceof ContextAccess) return node.name;
  if (node instanceof FunctionCall) return node.functionName;
  if (node instanceof Literal) return node.token;
  const [first] = childrenOf(node);
  return first === undefined ? undefined : firstToken(first);
}

// Finds things in the tree of an expression.
import type { Expr } from "@actions/expressions";
import {
  Binary,
  ContextAccess,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Star,
  Unary,
} from "@actions/expressions/ast";
import type { Token } from "@actions/expressions/lexer";

export function childrenOf(node: Expr): readonly Expr[] {
  if (node instanceof Unary) return [node.expr];
  if (node instanceof Binary) return [node.left, node.right];
  if (node instanceof Logical || node instanceof FunctionCall) return node.args;
  if (node instanceof Grouping) return [node.group];
  if (node instanceof IndexAccess)
    return node.index instanceof Star ? [node.expr] : [node.expr, node.index];
  return [];
}

export function nodesIn(node: Expr): readonly Expr[] {
  return [node, ...childrenOf(node).flatMap(nodesIn)];
}

export function callsIn(node: Expr): readonly Token[] {
  return nodesIn(node).flatMap((each) => (each instanceof FunctionCall ? [each.functionName] : []));
}

export function contextsIn(node: Expr): readonly Token[] {
  return nodesIn(node).flatMap((each) => (each instanceof ContextAccess ? [each.name] : []));
}

/** `artifacts.plan.tasks` as its names, or undefined when it is no such chain. */
export function chainOf(node: Expr): readonly string[] | undefined {
  if (node instanceof ContextAccess) return [node.name.lexeme];
  if (!(node instanceof IndexAccess) || !(node.index instanceof Literal)) return undefined;
  const before = chainOf(node.expr);
  return before === undefined ? undefined : [...before, node.index.literal.coerceString()];
}

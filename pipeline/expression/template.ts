// Texts with `${{ … }}` in them: taken apart once, evaluated when they are used.
import { didYouMean } from "../nearest-name.ts";
import { type Expression, parseExpression } from "./expression.ts";
import { STATUS_FUNCTIONS } from "./functions.ts";
import { callsIn } from "./walk-expression.ts";

export interface Template {
  readonly source: string;
  readonly parts: readonly TemplatePart[];
}

export type TemplatePart = string | TemplateExpression;

export interface TemplateExpression {
  readonly expression: Expression;
  /** Where its text begins in the source. */
  readonly offset: number;
}

export interface TemplateFault {
  /** In the text that was compiled. */
  readonly offset: number;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

export interface CompiledTemplate {
  /** Undefined when there are faults. */
  readonly template: Template | undefined;
  readonly faults: readonly TemplateFault[];
}

export function compileTemplate(source: string): CompiledTemplate {
  const parts: TemplatePart[] = [];
  const faults: TemplateFault[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf("${{", at);
    if (open === -1) break;
    if (open > at) parts.push(source.slice(at, open));
    const close = closeOf(source, open + 3);
    if (close === -1) {
      faults.push({ offset: open, message: `'\${{' has no '}}'` });
      return { template: undefined, faults };
    }
    const found = parseExpression(source.slice(open + 3, close));
    if (found.expression !== undefined) {
      parts.push({ expression: found.expression, offset: open + 3 });
    } else {
      const { offset, message } = found.fault;
      faults.push({ offset: open + 3 + offset, message });
    }
    at = close + 2;
  }
  if (at < source.length) parts.push(source.slice(at));
  return { template: faults.length === 0 ? { source, parts } : undefined, faults };
}

/** `}}` inside quotes belongs to a text of the expression. */
function closeOf(source: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < source.length; at++) {
    if (source[at] === "'") isQuoted = !isQuoted;
    else if (!isQuoted && source.startsWith("}}", at)) return at;
  }
  return source.indexOf("}}", from); // the open quote is what will be told
}

export interface CompiledCondition extends CompiledTemplate {
  /** It asks how the run stands; any other condition also asks for success. */
  readonly asksStatus: boolean;
}

/** An `if`: one expression, with or without `${{ }}` around it. */
export function compileCondition(source: string): CompiledCondition {
  const compiled = source.includes("${{") ? compileTemplate(source) : compileBare(source);
  const { template } = compiled;
  if (template === undefined) return { ...compiled, asksStatus: false };
  const [only] = template.parts;
  if (template.parts.length !== 1 || typeof only === "string" || only === undefined) {
    const message = "a condition is one expression, and nothing else";
    return { template: undefined, faults: [{ offset: 0, message }], asksStatus: false };
  }
  const asked = callsIn(only.expression.tree).map(({ lexeme }) => lexeme.toLowerCase());
  return { ...compiled, asksStatus: asked.some((name) => STATUS_FUNCTIONS.includes(name)) };
}

function compileBare(source: string): CompiledTemplate {
  const found = parseExpression(source);
  if (found.expression === undefined)
    return { template: undefined, faults: [withHint(found.fault, source)] };
  return { template: { source, parts: [{ expression: found.expression, offset: 0 }] }, faults: [] };
}

function withHint(fault: TemplateFault, source: string): TemplateFault {
  const suggestion = didYouMean(source.trim().replace(/\(?\)?$/, ""), STATUS_FUNCTIONS);
  return suggestion === undefined ? fault : { ...fault, suggestion };
}

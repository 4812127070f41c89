// Reads one expression, the part between `${{` and `}}`, into a tree whose words know their place.
import { type Expr, ExpressionError, Lexer, Parser } from "@actions/expressions";
import { type Token, TokenType } from "@actions/expressions/lexer";
import { EXPRESSION_LENGTH_MAX, EXPRESSION_TOKENS_MAX } from "../pipeline-limits.ts";
import { FUNCTIONS } from "./functions.ts";

export interface Expression {
  readonly tree: Expr;
  /** Where in the expression's text a word begins. */
  readonly offsetOf: (token: Token) => number;
}

export interface ExpressionFault {
  readonly offset: number;
  readonly message: string;
}

export type ExpressionResult =
  | { readonly expression: Expression }
  | { readonly expression: undefined; readonly fault: ExpressionFault };

export function parseExpression(text: string): ExpressionResult {
  if (text.trim() === "") return faulty(0, "the expression is empty");
  if (text.length > EXPRESSION_LENGTH_MAX) {
    return faulty(0, `the expression is too long: at most ${EXPRESSION_LENGTH_MAX} characters`);
  }
  const lexed = lex(text);
  if ("fault" in lexed) return { expression: undefined, fault: lexed.fault };
  const { tokens, offsets } = lexed;
  if (tokens.length > EXPRESSION_TOKENS_MAX) {
    return faulty(
      0,
      `the expression is too long: at most ${EXPRESSION_TOKENS_MAX} words and signs`,
    );
  }
  const offsetOf = (token: Token) => offsets.get(token) ?? 0;
  try {
    return { expression: { tree: parserOf(tokens).parse(), offsetOf } };
  } catch (error) {
    const token = tokens.find(
      ({ range }) => error instanceof ExpressionError && range.start === error.pos,
    );
    const offset = token === undefined ? 0 : offsetOf(token);
    return faulty(Math.min(offset, text.trimEnd().length), plainReason(error));
  }
}

/** Every name is let through here: unknown ones are told later, all at once and with a hint. */
function parserOf(tokens: Token[]): Parser {
  const words = tokens
    .filter(({ type }) => type === TokenType.IDENTIFIER)
    .map(({ lexeme }) => lexeme)
    .filter((lexeme) => !FUNCTIONS.has(lexeme.toLowerCase()));
  const unknown = words.map((name) => ({ name, minArgs: 0, maxArgs: Number.MAX_SAFE_INTEGER }));
  return new Parser(tokens, words, [...FUNCTIONS.values(), ...unknown]);
}

function faulty(offset: number, message: string): ExpressionResult {
  return { expression: undefined, fault: { offset, message } };
}

type Lexed =
  | { readonly tokens: Token[]; readonly offsets: ReadonlyMap<Token, number> }
  | { readonly fault: ExpressionFault };

function lex(text: string): Lexed {
  try {
    const { tokens } = new Lexer(text).lex();
    return { tokens: tokens.map(withWholeString), ...placesOf(tokens, text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [, symbol, place] =
      /^Unexpected symbol: '([\s\S]*)'\. Located at position (\d+)/.exec(reason) ?? [];
    if (symbol === undefined)
      return { fault: { offset: 0, message: "the expression cannot be read" } };
    const isOpenText = symbol.startsWith("'");
    const isDoubleQuoted = symbol.startsWith('"');
    const message = isOpenText
      ? "the text in quotes has no end"
      : isDoubleQuoted
        ? "texts in expressions stand in single quotes"
        : `unexpected '${symbol.slice(0, 40)}'`;
    return { fault: { offset: Number(place) - 1, message } };
  }
}

/** The library undoubles only the first `''` of a text. The token stays the same object, by which it is found. */
function withWholeString(token: Token): Token {
  if (token.type === TokenType.STRING)
    token.value = token.lexeme.slice(1, -1).replaceAll("''", "'");
  return token;
}

/** The library's columns are wrong behind a line break in a text; between tokens there is only space. */
function placesOf(tokens: readonly Token[], text: string): { offsets: ReadonlyMap<Token, number> } {
  const offsets = new Map<Token, number>();
  let at = 0;
  for (const token of tokens) {
    while (at < text.length && /\s/.test(text[at] ?? "")) at++;
    offsets.set(token, at);
    at += token.lexeme.length;
  }
  return { offsets };
}

function plainReason(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  const [, what = "", subject = ""] = /^([^:]*): '([\s\S]*)'$/.exec(reason) ?? [];
  switch (what) {
    case "Unexpected symbol":
      return subject === "EOF" ? "the expression ends too early" : `unexpected '${subject}'`;
    case "Unexpected end of expression":
      return "the expression ends too early";
    case "Too few parameters supplied":
      return `'${subject}' is given too few values`;
    case "Too many parameters supplied":
      return `'${subject}' is given too many values`;
    default:
      return what === "" ? "the expression cannot be read" : `${what.toLowerCase()}: '${subject}'`;
  }
}

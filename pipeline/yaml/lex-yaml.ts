// Splits YAML into the parser's tokens within limits of depth and number.
import { type CST, Lexer, Parser } from "yaml";
import { DEPTH_MAX, TOKENS_MAX } from "../pipeline-limits.ts";

export interface LexedYaml {
  readonly tokens: readonly CST.Token[];
  readonly refusal?: { readonly offset: number; readonly message: string };
}

/**
 * The depth is watched while the text is read: a deep one makes the library's next stage overflow the stack, which ends
 * the whole process when it happens inside a regular expression (measured with a megabyte of `[`).
 */
export function lexYaml(text: string): LexedYaml {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > DEPTH_MAX) {
      const message = `nested too deeply: at most ${DEPTH_MAX} levels`;
      return { tokens, refusal: { offset: parser.offset, message } };
    }
    if (++count > TOKENS_MAX) {
      const message = "too long: more YAML than any pipeline needs";
      return { tokens, refusal: { offset: parser.offset, message } };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

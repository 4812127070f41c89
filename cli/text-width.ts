// How many columns a text takes on a terminal, and a text cut to so many.

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for
const COLOUR = /\x1b\[[\d;]*m/y;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff00-\uff60]/u;
const NONE = /[\p{M}\p{Cf}]/u;

/** Colours take none. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { columns } of piecesOf(text)) width += columns;
  return width;
}

/** With `…` where something is missing; colours that were begun still end. */
export function clipText(text: string, columnsMax: number): string {
  if (textWidth(text) <= columnsMax) return text;
  if (columnsMax < 1) return "";
  let clipped = "";
  let left = columnsMax - 1;
  let isCut = false;
  for (const { piece, columns } of piecesOf(text)) {
    if (piece.startsWith("\x1b")) {
      clipped += piece;
      continue;
    }
    if (isCut) continue;
    if (columns > left) {
      clipped += "…";
      isCut = true;
      continue;
    }
    clipped += piece;
    left -= columns;
  }
  return clipped;
}

function* piecesOf(text: string): Generator<{ readonly piece: string; readonly columns: number }> {
  for (let at = 0; at < text.length; ) {
    COLOUR.lastIndex = at;
    const colour = COLOUR.exec(text)?.[0];
    const piece = colour ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    yield { piece, columns: colour === undefined ? columnsOf(piece) : 0 };
    at += piece.length;
  }
}

function columnsOf(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

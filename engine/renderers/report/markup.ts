// HTML in which every text is escaped unless it was made here.

/** What may stand in a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | readonly Markup[];

/** A template: what is put into it is text, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const pieces = strings.map((string, index) => {
    const part = parts[index];
    return part === undefined ? string : string + textOf(part);
  });
  return new Markup(pieces.join(""));
}

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return part.map(({ text }) => text).join("");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

const SHOWN_LENGTH_MAX = 200;

/** A name of somebody else's: on one line, in its own direction, and no longer than anybody reads. */
export function shownName(text: string): Markup {
  return html`<bdi>${plainName(text)}</bdi>`;
}

export function plainName(text: string): string {
  const plain = text
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replaceAll(/\p{Cc}/gu, "\ufffd")
    .trim();
  const characters = [...plain];
  if (characters.length <= SHOWN_LENGTH_MAX) return plain === "" ? "(no name)" : plain;
  return `${characters.slice(0, SHOWN_LENGTH_MAX - 1).join("")}…`;
}

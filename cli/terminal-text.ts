// Text of others on a terminal: colours may stay, everything else that a terminal would obey goes.

/** Longer ones are no colours. */
const COLOUR_LENGTH_MAX = 64;
const RESET = "\x1b[0m";

/*
 *   text ──ESC──▶ escape ──[──▶ control ──final──▶ text      colours (`m`) are kept
 *     ▲             │└──] P X ^ _──▶ string ──BEL, ST or a line's end──▶ text
 *     └─────────────┘
 */
type State = "text" | "escape" | "control" | "string" | "string-escape";

/** Fed piece by piece: a sequence may begin in one and end in the next. */
export class TerminalText {
  readonly #keepsColours: boolean;
  #state: State = "text";
  #parameters = "";
  #isReturning = false;
  #hasColours = false;

  constructor({ keepsColours }: { readonly keepsColours: boolean }) {
    this.#keepsColours = keepsColours;
  }

  push(text: string): string {
    let shown = "";
    for (const character of text) shown += this.#next(character);
    return shown;
  }

  /** What has to follow the last piece, so that the next prompt is not coloured. */
  end(): string {
    return this.#hasColours ? RESET : "";
  }

  #next(character: string): string {
    switch (this.#state) {
      case "text":
        return this.#inText(character);
      case "escape":
        return this.#inEscape(character);
      case "control":
        return this.#inControl(character);
      default:
        return this.#inString(character);
    }
  }

  /** A return without a new line would let later text cover earlier text: it begins a new line instead. */
  #inText(character: string): string {
    if (character === "\r") {
      this.#isReturning = true;
      return "";
    }
    const state = stateAfter(character);
    if (state !== undefined) {
      this.#state = state;
      this.#parameters = "";
      return "";
    }
    if (isControl(character) && character !== "\n" && character !== "\t") return "";
    const line = this.#isReturning && character !== "\n" ? "\n" : "";
    this.#isReturning = false;
    return line + character;
  }

  #inEscape(character: string): string {
    if (character === "[") {
      this.#state = "control";
      return "";
    }
    if ("]PX^_".includes(character)) {
      this.#state = "string";
      return "";
    }
    if (character >= " " && character <= "/") return ""; // more of it is to come
    this.#state = "text";
    return character >= "0" && character <= "~" ? "" : this.#inText(character);
  }

  #inControl(character: string): string {
    if (character >= " " && character <= "?") {
      if (this.#parameters.length <= COLOUR_LENGTH_MAX) this.#parameters += character;
      return "";
    }
    this.#state = "text";
    if (character < "@" || character > "~") return this.#inText(character);
    const isColour = character === "m" && /^[\d;:]{0,64}$/.test(this.#parameters);
    if (!isColour || !this.#keepsColours) return "";
    this.#hasColours = true;
    return `\x1b[${this.#parameters}m`;
  }

  /** It ends with the line at the latest: else one that never ends would hide the rest of the log. */
  #inString(character: string): string {
    if (character === "\n") {
      this.#state = "text";
      return this.#inText(character);
    }
    const isOver =
      character === "\x07" ||
      character === "\x9c" ||
      (this.#state === "string-escape" && character === "\\");
    if (isOver) this.#state = "text";
    else this.#state = character === "\x1b" ? "string-escape" : "string";
    return "";
  }
}

/** One line without any sequence, for a cell or a message. */
export function plainText(text: string): string {
  const shown = new TerminalText({ keepsColours: false }).push(text);
  return shown.replace(/\s+/g, " ").trim();
}

/** Some sequences also begin with a single character above 127. */
function stateAfter(character: string): State | undefined {
  if (character === "\x1b") return "escape";
  if (character === "\x9b") return "control";
  return "\x90\x98\x9d\x9e\x9f".includes(character) ? "string" : undefined;
}

function isControl(character: string): boolean {
  return character < " " || (character >= "\x7f" && character <= "\x9f");
}

// Rebuilds an SVG from what is known to be harmless in it: nothing runs, nothing is fetched, nothing leads anywhere.
import { SaxesParser, type SaxesTagNS } from "saxes";
import { harmlessStyle, harmlessStyleSheet, harmlessValue } from "./harmless-css.ts";

export class SvgRefused extends Error {
  override readonly name = "SvgRefused";
}

const SVG = "http://www.w3.org/2000/svg";
const DEPTH_MAX = 100;

const ELEMENTS = new Set([
  ...["svg", "g", "defs", "title", "desc", "style", "path", "rect", "circle", "ellipse", "line"],
  ...["polyline", "polygon", "text", "tspan", "marker", "linearGradient", "radialGradient", "stop"],
  ...["clipPath"],
]);
/** What is in them stays, they themselves go. */
const UNWRAPPED = new Set(["a"]);
const TEXT_IN = new Set(["title", "desc", "text", "tspan"]);

const ATTRIBUTES = new Set([
  ...["id", "class", "style", "role", "viewBox", "preserveAspectRatio", "version", "transform"],
  ...["x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "rx", "ry", "fx", "fy"],
  ...["width", "height", "d", "points", "pathLength", "offset", "rotate", "textLength"],
  ...["lengthAdjust", "gradientUnits", "gradientTransform", "spreadMethod", "clipPathUnits"],
  ...["markerWidth", "markerHeight", "markerUnits", "orient", "refX", "refY"],
  ...["marker-start", "marker-mid", "marker-end", "clip-path", "clip-rule", "fill", "fill-rule"],
  ...["fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap"],
  ...["stroke-linejoin", "stroke-dasharray", "stroke-dashoffset", "stroke-miterlimit", "opacity"],
  ...["color", "stop-color", "stop-opacity", "font-family", "font-size", "font-weight"],
  ...["font-style", "font-stretch", "letter-spacing", "word-spacing", "text-anchor"],
  ...["text-decoration", "dominant-baseline", "alignment-baseline", "baseline-shift"],
  ...[
    "vector-effect",
    "visibility",
    "display",
    "aria-label",
    "aria-hidden",
    "aria-roledescription",
  ],
]);

/** A program's own output is expected: what is not well-formed is refused, not repaired. */
export function sanitiseSvg(text: string): string {
  const parser = new SaxesParser({ xmlns: true });
  const builder = new Builder();
  parser.on("error", (error) => {
    throw new SvgRefused(`no well-formed SVG: ${error.message}`);
  });
  parser.on("opentag", (tag) => builder.open(tag));
  parser.on("closetag", () => builder.close());
  parser.on("text", (piece) => builder.text(piece));
  parser.on("cdata", (piece) => builder.text(piece));
  parser.write(text).close();
  return builder.result();
}

/** What each open element of the source has become. */
type Fate = "kept" | "unwrapped" | "dropped";

class Builder {
  readonly #out: string[] = [];
  readonly #open: { readonly name: string; readonly fate: Fate }[] = [];
  #style: string[] | undefined;
  #dropped = 0;

  open(tag: SaxesTagNS): void {
    if (this.#open.length >= DEPTH_MAX) throw new SvgRefused("nested too deeply");
    const fate = this.#dropped > 0 ? "dropped" : this.#fateOf(tag);
    this.#open.push({ name: tag.local, fate });
    if (fate === "dropped") this.#dropped++;
    if (fate !== "kept") return;
    if (tag.local === "style") this.#style = [];
    else
      this.#out.push(
        `<${tag.local}${this.#isFirst() ? ` xmlns="${SVG}"` : ""}${attributesOf(tag)}>`,
      );
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (closed.fate === "dropped") this.#dropped--;
    if (closed.fate !== "kept") return;
    if (closed.name === "style") this.#closeStyle();
    else this.#out.push(`</${closed.name}>`);
  }

  /** Elsewhere it would be shown by nobody. */
  text(piece: string): void {
    const last = this.#open.findLast(({ fate }) => fate !== "unwrapped");
    if (this.#dropped > 0 || last === undefined) return;
    if (last.name === "style") this.#style?.push(piece);
    else if (TEXT_IN.has(last.name)) this.#out.push(escapeXml(piece));
    else if (piece.includes("\n")) this.#out.push("\n");
  }

  result(): string {
    if (this.#out.length === 0) throw new SvgRefused("there is no SVG");
    return `${this.#out.join("")}\n`;
  }

  #fateOf({ uri, local, prefix }: SaxesTagNS): Fate {
    const isRoot = this.#open.length === 0;
    if (uri !== SVG || prefix !== "" || (isRoot && local !== "svg")) return "dropped";
    if (UNWRAPPED.has(local)) return "unwrapped";
    return ELEMENTS.has(local) && (isRoot || local !== "svg") ? "kept" : "dropped";
  }

  #isFirst(): boolean {
    return this.#open.length === 1;
  }

  #closeStyle(): void {
    const sheet = harmlessStyleSheet((this.#style ?? []).join(""));
    this.#style = undefined;
    if (sheet !== undefined) this.#out.push(`<style>${escapeXml(sheet)}</style>`);
  }
}

function attributesOf({ attributes }: SaxesTagNS): string {
  let text = "";
  for (const { prefix, local, value } of Object.values(attributes)) {
    if (prefix !== "" || !ATTRIBUTES.has(local)) continue;
    const isHarmless = local === "style" ? harmlessStyle(value) : harmlessValue(value);
    if (isHarmless) text += ` ${local}="${escapeXml(value)}"`;
  }
  return text;
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

// Draws a diagram from its source; to be called where it may take all the time and memory it is given.
import { instance } from "@viz-js/viz";
import { renderMermaidSVG } from "beautiful-mermaid";
import { isDrawable } from "./is-drawable.ts";
import { labelledFirst } from "./labelled-first.ts";
import { SvgRefused, sanitiseSvg } from "./sanitise-svg.ts";
import { spacedLinks } from "./spaced-links.ts";
import { styledDot } from "./styled-dot.ts";

export interface DiagramQuestion {
  readonly language: "mermaid" | "graphviz";
  readonly source: string;
  readonly theme: "light" | "dark";
}

export type DiagramAnswer =
  | { readonly kind: "drawn"; readonly svg: string; readonly warnings: readonly string[] }
  /** The line is of the source, from 1. */
  | { readonly kind: "fault"; readonly message: string; readonly line?: number | undefined };

const COLOURS = {
  light: { bg: "#ffffff", fg: "#1d2520", line: "#7c8a80", accent: "#2f6b45", muted: "#59645c" },
  dark: { bg: "#141a16", fg: "#eef2ee", line: "#7f8d83", accent: "#7fd495", muted: "#a7b3aa" },
} as const;
const KINDS =
  /^(?:(?:graph|flowchart)\s+(?:TD|TB|LR|BT|RL)|stateDiagram(?:-v2)?|sequenceDiagram|classDiagram|erDiagram|xychart(?:-beta)?\b.*)\s*;?$/i;
const FONT = "system-ui";

export async function drawDiagram(question: DiagramQuestion): Promise<DiagramAnswer> {
  const { language, theme } = question;
  const source = question.source.replace(/^\ufeff/, ""); // some editors begin every file with it
  const drawn = language === "mermaid" ? drawMermaid(source, theme) : await drawDot(source, theme);
  if (drawn.kind === "fault") return drawn;
  try {
    return { ...drawn, svg: sanitiseSvg(drawn.svg) };
  } catch (error) {
    if (!(error instanceof SvgRefused)) throw error;
    return { kind: "fault", message: `what was drawn cannot be used: ${error.message}` };
  }
}

/** The library takes the first line for the kind and leaves out what it does not know: the kind is checked before. */
function drawMermaid(source: string, theme: DiagramQuestion["theme"]): DiagramAnswer {
  const lines = withoutFrontMatter(source).split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !line.trim().startsWith("%%"));
  if (first === -1) return { kind: "fault", message: "there is nothing to draw" };
  const head = lines[first]?.trim() ?? "";
  if (!KINDS.test(head.split(";")[0]?.trim() ?? "")) {
    const known =
      "graph TD, flowchart LR, stateDiagram-v2, sequenceDiagram, classDiagram, erDiagram";
    const message = `'${head.slice(0, 60)}' is no kind of diagram that can be drawn: it must be one of ${known} or xychart-beta`;
    return { kind: "fault", message, line: first + 1 };
  }
  const read = /^(?:graph|flowchart)/i.test(head)
    ? readFlowchart(lines, first)
    : lines.slice(first);
  if ("kind" in read) return read;
  try {
    const svg = renderMermaidSVG(read.join("\n"), { ...COLOURS[theme], font: FONT });
    return { kind: "drawn", svg, warnings: [] };
  } catch (error) {
    if (error instanceof RangeError) throw error; // of the machine, not of the source
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "fault", message: `it cannot be drawn: ${reason}`, line: first + 1 };
  }
}

/** In the library's own words; what it would leave out is a fault, not a picture without it. */
function readFlowchart(lines: readonly string[], first: number): string[] | DiagramAnswer {
  const text: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (at < first) continue;
    const statements = statementsOf(line);
    const odd = statements.slice(at === first ? 1 : 0).find((each) => !isDrawable(each));
    if (odd !== undefined) {
      const shown = odd.trim().replaceAll(/\s+/g, " ").slice(0, 60);
      const message = `'${shown}' cannot be drawn: names of nodes have a-z, 0-9, _ and -, and labels no brackets of their own`;
      return { kind: "fault", message, line: at + 1 };
    }
    text.push(...statements.flatMap((each) => each.split("\n")));
  }
  return labelledFirst(text);
}

/** Mermaid takes several statements in a line, the library does not. A semicolon in a text is none between statements. */
function statementsOf(line: string): string[] {
  const statements = line.match(/(?:"[^"]*"|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|\|[^|]*\||[^;])+/g);
  return (statements ?? []).map((each) => (NOT_DRAWN.test(each) ? "" : spacedLinks(each)));
}

/** Addresses, and words for those who do not see: the library would take them for nodes. */
const NOT_DRAWN = /^\s*(?:click\s|acc(?:Title|Descr)\s*:)/;

/** Settings for another renderer; empty lines keep the numbers of the others. */
function withoutFrontMatter(source: string): string {
  const text = source.replaceAll("\r\n", "\n");
  const found = /^\s*---\n[\s\S]*?\n---[ \t]*(?:\n|$)/.exec(text)?.[0];
  return found === undefined ? text : found.replaceAll(/[^\n]/g, "") + text.slice(found.length);
}

async function drawDot(source: string, theme: DiagramQuestion["theme"]): Promise<DiagramAnswer> {
  if (source.trim() === "") return { kind: "fault", message: "there is nothing to draw" };
  const viz = await instance();
  const { status, output, errors } = viz.render(styledDot(source, COLOURS[theme]), {
    ...{ format: "svg", engine: "dot" },
  });
  const said = errors.map(({ message }) => message.trim());
  if (status === "success") return { kind: "drawn", svg: output, warnings: said };
  const message = said.find((each) => /line \d+/.test(each)) ?? said[0] ?? "it cannot be drawn";
  const line = Number(/\bline (\d+)\b/.exec(message)?.[1]);
  return { kind: "fault", message, ...(Number.isInteger(line) ? { line } : {}) };
}

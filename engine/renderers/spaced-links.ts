// Links of a Mermaid flowchart as the library reads them: in one way of writing each, with spaces around.
import { isNodeStatement } from "./is-drawable.ts";

/** `A-->B` is what everybody writes, and the library would take `A--` for a node and leave out the rest. */
export function spacedLinks(statement: string): string {
  if (!isNodeStatement(statement)) return statement;
  let text = "";
  for (let at = 0; at < statement.length; ) {
    const kept = matchAt(KEPT, statement, at)?.[0];
    const link = kept === undefined ? linkAt(statement, at) : undefined;
    const taken = kept ?? link?.source ?? statement.slice(at, at + 1);
    text += link === undefined ? taken : link.text;
    at += taken.length;
  }
  return text;
}

/** What is within is a text, whatever it looks like: quoted, in brackets as deep as shapes go, or a flag. */
const KEPT =
  /"[^"]*"|\[(?:"[^"]*"|[^\]])*\]+|\((?:"[^"]*"|[^)])*\)+|\{(?:"[^"]*"|[^}])*\}+|(?<=[\w-])>[^\]]*\]/y;
/** As in Mermaid's own grammar: a solid, thick, dotted or invisible line with a head, and perhaps one at its start. */
const LINK =
  /(<|(?<=\s)[xo])?(?:--+(?<solid>[-xo>])|==+(?<thick>[=xo>])|(?<dotted>-\.+-)(?<end>[xo>])?|(?<none>~~~+))(?:\s*\|(?<label>[^|]*)\|)?/y;
const LABELLED =
  /(<|(?<=\s)[xo])?(?:--\s*(?<solid>[^-\s>](?:[^-]|-(?!-))*?)\s*--+(?<solidEnd>[-xo>])|==\s*(?<thick>[^=\s](?:[^=]|=(?!=))*?)\s*==+(?<thickEnd>[=xo>])|-\.\s*(?<dotted>[^.\s-](?:[^.]|\.(?!-))*?)\s*\.+-(?<dottedEnd>[xo>])?)/y;

interface Link {
  readonly source: string;
  readonly text: string;
}

function linkAt(statement: string, at: number): Link | undefined {
  const found = matchAt(LINK, statement, at);
  if (found !== undefined) {
    const { solid, thick, dotted, end, none, label } = found.groups ?? {};
    if (none !== undefined) return { source: found[0], text: "\n" }; // nobody is to see it
    const head = solid ?? thick ?? end;
    const line = dotted !== undefined ? DOTTED : thick !== undefined ? THICK : SOLID;
    return { source: found[0], text: written(found[1], line, head, label) };
  }
  const said = matchAt(LABELLED, statement, at);
  if (said === undefined) return undefined;
  const { solid, solidEnd, thick, thickEnd, dotted, dottedEnd } = said.groups ?? {};
  const line = dotted !== undefined ? DOTTED : thick !== undefined ? THICK : SOLID;
  const head = solidEnd ?? thickEnd ?? dottedEnd;
  return { source: said[0], text: written(said[1], line, head, solid ?? thick ?? dotted) };
}

const SOLID = { arrow: "-->", plain: "---" } as const;
const THICK = { arrow: "==>", plain: "===" } as const;
const DOTTED = { arrow: "-.->", plain: "-.-" } as const;

/** The library knows one head: crosses and circles become arrows. */
function written(
  start: string | undefined,
  line: typeof SOLID | typeof THICK | typeof DOTTED,
  head: string | undefined,
  label: string | undefined,
): string {
  const link = head !== undefined && /[xo>]/.test(head) ? line.arrow : line.plain;
  const words = label?.trim().replace(/^"(.*)"$/s, "$1");
  const told = words === undefined || words === "" ? "" : `|${words.replaceAll("|", "/")}|`;
  return ` ${start === undefined ? "" : "<"}${link}${told} `;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

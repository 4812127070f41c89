// What the first bytes of a file say that it is, whatever it is called.
import { fileTypeFromBuffer } from "file-type";

/**
 * - `markup`: HTML, SVG or other XML, however it begins.
 * - `text`: nothing but text. `startsWithTag`: it could be a part of a page.
 * - `signature`: something whose first bytes are known.
 * - `unknown`: other bytes.
 */
export type SniffedType =
  | { readonly kind: "markup"; readonly mediaType: MarkupType }
  | { readonly kind: "text"; readonly mediaType: string; readonly startsWithTag: boolean }
  | { readonly kind: "signature"; readonly mediaType: string }
  | { readonly kind: "unknown" | "empty"; readonly mediaType: typeof OCTETS };

export type MarkupType = "text/html" | "image/svg+xml" | "application/xml";

export const OCTETS = "application/octet-stream";
/** Enough for a long comment before the first tag. */
export const HEAD_BYTES = 16 * 1024;
const PDF = "application/pdf";

export async function sniffType(head: Uint8Array): Promise<SniffedType> {
  if (head.length === 0) return { kind: "empty", mediaType: OCTETS };
  const text = Buffer.from(head)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "");
  const markup = markupOf(text); // before all else: browsers look for it first, too
  if (markup !== undefined) return { kind: "markup", mediaType: markup };
  if (text.startsWith("%PDF-")) return { kind: "signature", mediaType: PDF };
  if (!BINARY.test(text)) {
    // Of two or three letters some signatures are made, and many texts begin with those.
    const charset = isUtf8(head) ? "; charset=utf-8" : "";
    const startsWithTag = /^\s*<[a-z!?]/i.test(text);
    return { kind: "text", mediaType: `text/plain${charset}`, startsWithTag };
  }
  const found = await fileTypeFromBuffer(head);
  if (found === undefined) return { kind: "unknown", mediaType: OCTETS };
  return { kind: "signature", mediaType: found.mime };
}

/** What texts do not have: as in the MIME Sniffing Standard. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** May come before the first tag. */
const BEFORE = /\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->/y;
const HTML =
  /<!doctype\s+html|<(?:html|head|body|script|iframe|style|title|meta|link|base|object|embed|frameset|template)(?=[\s/>])/iy;
const SVG = /<!doctype\s+svg|<(?:[\w-]+:)?svg(?=[\s/>])/iy;
const OTHER_DOCTYPE = /<!doctype\s/iy;

function markupOf(text: string): MarkupType | undefined {
  const at = (pattern: RegExp, index: number) => {
    pattern.lastIndex = index;
    return pattern.exec(text)?.[0];
  };
  let index = 0;
  for (let skipped = at(BEFORE, 0); skipped !== undefined; skipped = at(BEFORE, index)) {
    index += skipped.length;
  }
  if (at(HTML, index) !== undefined) return "text/html";
  if (at(SVG, index) !== undefined) return "image/svg+xml";
  const isXml = /^\s*<\?xml\s/i.test(text) || at(OTHER_DOCTYPE, index) !== undefined;
  return isXml ? "application/xml" : undefined;
}

/** The last letter may be cut. */
function isUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false; // another encoding: nobody can tell which
  }
}

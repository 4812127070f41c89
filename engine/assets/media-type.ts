// As what a file is served: as its caller declared it, unless its contents say that this is wrong or could do harm.
import { supportedMimeTypes } from "file-type";
import { OCTETS, type SniffedType } from "./sniff-type.ts";

const DECLARED =
  /^\s*([\w.+-]{1,64}\/[\w.+-]{1,64})\s*(?:;\s*charset\s*=\s*"?([\w-]{1,32})"?\s*)?(?:;|$)/;

/** In one way of writing; undefined for what is none. Other parameters than the charset are left out. */
export function normaliseMediaType(text: string | undefined): string | undefined {
  const [, type, charset] = DECLARED.exec(text ?? "") ?? [];
  if (type === undefined) return undefined;
  const suffix = charset === undefined ? "" : `; charset=${charset.toLowerCase()}`;
  return type.toLowerCase() + suffix;
}

/**
 * What a browser would run as a page is never served as something else, nor something else as a page: one of the two has been
 * lied about. Scripts and style sheets are texts: from our own address no page of ours may load them.
 */
export function effectiveType(declared: string | undefined, sniffed: SniffedType): string {
  const type = declared?.split(";", 1)[0] ?? OCTETS;
  return declared !== undefined && type !== OCTETS && isBelievable(type, sniffed)
    ? declared
    : sniffed.mediaType;
}

const TOP = /^(?:text|application|image|audio|video|font|model)\//;
const PAGES = new Set(["text/html", "application/xhtml+xml"]);
const SVG = "image/svg+xml";
const LOADED =
  /(?:java|ecma|live|j)script(?:[\d.]*)$|^text\/css$|^application\/wasm$|^text\/(?:x-)?component$/;
/** What other formats are made of. */
const CONTAINERS = new Set([
  ...["application/zip", "application/gzip", "application/x-tar", "application/x-cfb"],
  ...["application/x-bzip2", "application/x-xz", "application/zstd", "application/x-7z-compressed"],
]);

function isBelievable(type: string, sniffed: SniffedType): boolean {
  if (!TOP.test(type) || LOADED.test(type)) return false;
  switch (sniffed.kind) {
    case "empty":
      return !isActive(type);
    case "markup":
      if (sniffed.mediaType === "text/html") return PAGES.has(type);
      if (sniffed.mediaType === SVG) return type === SVG;
      return isXml(type) || isTextual(type);
    case "text":
      if (PAGES.has(type)) return sniffed.startsWithTag;
      return isTextual(type) && !supportedMimeTypes.has(type);
    case "signature": {
      if (type === sniffed.mediaType) return true;
      const isContainer = CONTAINERS.has(sniffed.mediaType);
      return isContainer && type.startsWith("application/") && !isActive(type);
    }
    case "unknown":
      return !isActive(type) && !type.startsWith("text/") && !supportedMimeTypes.has(type);
  }
}

function isXml(type: string): boolean {
  const isNamed = /[/+]xml$/.test(type);
  return isNamed && type !== SVG && !PAGES.has(type);
}

/** What a browser would show as a document with a life of its own. */
function isActive(type: string): boolean {
  return PAGES.has(type) || /[/+]xml$/.test(type) || type === "application/pdf";
}

function isTextual(type: string): boolean {
  return /^(?:text|application|model)\//.test(type) && !isActive(type);
}

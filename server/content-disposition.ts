// The header that lets a browser keep a file under its name, whatever that name is made of (RFC 6266, RFC 8187).
import { safeFileName } from "@croft/contract";

/** What jobs made and others sent is not shown as a page of ours. */
export function attachmentNamed(name: string): string {
  return `attachment; ${named(name)}`;
}

/** For a frame that can do nothing: see the route of contents. */
export function inlineNamed(name: string): string {
  return `inline; ${named(name)}`;
}

function named(name: string): string {
  const safe = safeFileName(name);
  const plain = safe.replaceAll(/[^\w. ()+-]/g, "_");
  const encoded = encodeURIComponent(safe).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

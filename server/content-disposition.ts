// The header that lets a browser keep a file under its name, whatever that name is made of (RFC 6266, RFC 8187).

/** Never `inline`: what jobs made is not shown as a page of ours. */
export function attachmentNamed(name: string): string {
  // A name is not a path, and begins with no dot that would hide it.
  const flat = name.replaceAll(/[/\\\p{Cc}]/gu, "_").replace(/^\.+/, "_");
  const plain = flat.replaceAll(/[^\w. ()+-]/g, "_");
  const encoded = encodeURIComponent(wellFormed(flat)).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Half of a surrogate pair cannot be encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, "\ufffd");
}

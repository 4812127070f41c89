// A path as messages name it: text if it is UTF-8, else base64.
import { isUtf8 } from "node:buffer";

/** `path` as bytes in latin1. */
export function encodedName(path: string): { path: string; path_encoding?: "base64" } {
  const bytes = Buffer.from(path, "latin1");
  if (isUtf8(bytes)) return { path: bytes.toString("utf8") };
  return { path: bytes.toString("base64"), path_encoding: "base64" };
}

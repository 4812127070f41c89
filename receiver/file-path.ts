// Paths as bytes, and the ones that nobody may write to.
import { Refusal } from "./refusal.ts";
import { strictBase64 } from "./strict-base64.ts";

const PATH_BYTES_MAX = 4096;

/** The bytes of a path that stays below where it is put; refused with 422 if it does not. */
export function pathBytes(path: string, encoding: "base64" | undefined): Buffer {
  const bytes = encoding === "base64" ? strictBase64(path) : Buffer.from(path);
  if (bytes === undefined) throw new Refusal(422, "a path is no base64");
  // Half of a surrogate pair has no bytes: it would become the name of another file.
  if (encoding === undefined && /\p{Cs}/u.test(path)) {
    throw new Refusal(422, "a path is no valid text");
  }
  checkPath(bytes);
  return bytes;
}

/** Croft sends no such path; who writes files by what came over a network looks for himself. */
export function checkPath(path: Buffer): void {
  const text = path.toString("latin1"); // one character a byte
  if (text === "" || path.length > PATH_BYTES_MAX) throw new Refusal(422, "a path is too long");
  if (text.includes("\0")) throw new Refusal(422, "a path has a NUL in it");
  for (const part of text.split("/")) {
    if (part === "") throw new Refusal(422, "a path is absolute or has an empty part");
    if (part === "." || part === "..") throw new Refusal(422, `a path has "${part}" as a part`);
    // As git does: there are file systems on which .GIT is the same.
    if (part.toLowerCase() === ".git") throw new Refusal(422, 'a path has ".git" as a part');
  }
}

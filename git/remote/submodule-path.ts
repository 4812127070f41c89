// Whether a submodule's name or path stays inside the checkout, on any file system.

const LENGTH_MAX = 1024;

/** Undefined when it is harmless; else why it is refused. */
export function escapeOf(path: string): string | undefined {
  if (path === "" || path.length > LENGTH_MAX) return "it is empty or too long";
  // A carriage return at the end of a path was read back without it, into another directory: CVE-2025-48384.
  if (/\p{Cc}|\uFFFD/u.test(path)) return "it has control characters, or is not UTF-8";
  if (path.startsWith("-")) return "it begins with a dash";
  if (path.startsWith("/") || path.includes("\\") || /^[A-Za-z]:/.test(path)) {
    return "it is not a plain relative path";
  }
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return "it leads out of its directory";
  }
  return parts.some(isGitDirectory) ? "it leads into a '.git' directory" : undefined;
}

/** `.git` as any file system may read it: in capitals, with dots and blanks behind, as a short name, with invisible letters. */
function isGitDirectory(part: string): boolean {
  const visible = part.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "");
  return /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i.test(visible);
}

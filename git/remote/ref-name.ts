// Names of branches and tags: exactly what `git check-ref-format` accepts, and no leading dash.

export type RefName = string & { readonly brand: "RefName" };

const LENGTH_MAX = 1024;

/** A name below `refs/`, in full or short: `main`, `feature/x`, `refs/pull/7/head`. */
export function isRefName(text: string): text is RefName {
  if (text === "" || text.length > LENGTH_MAX || text.startsWith("-")) return false;
  if (text === "@" || text.includes("@{") || text.includes("..") || text.includes("//"))
    return false;
  if (text.startsWith("/") || text.endsWith("/") || text.endsWith(".")) return false;
  // Control characters, space, and what has a meaning in revisions and refspecs.
  if (/[\p{Cc} ~^:?*[\\]/u.test(text)) return false;
  return text.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

export function refName(text: string): RefName {
  if (!isRefName(text)) throw new Error(`not a valid ref name: '${text.slice(0, 80)}'`);
  return text;
}

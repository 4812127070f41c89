// A name for a file that none of those beside it has.
import { safeFileName } from "@croft/contract";

/** As it will be on disk: two names that are made harmless can become one. `taken` has them in small letters. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const safe = safeFileName(name);
  if (isFree(safe, taken)) return safe;
  const [, head = safe, ending = ""] = /^(.+?)((?:\.[\w]{1,8}){1,2})?$/s.exec(safe) ?? [];
  for (let number = 2; ; number++) {
    const numbered = `${head}-${number}${ending}`;
    // A long name would lose its end again, and the number with it.
    const isWhole = safeFileName(numbered) === numbered;
    const next = isWhole ? numbered : safeFileName(`${number}-${safe}`);
    if (isFree(next, taken)) return next;
  }
}

function isFree(name: string, taken: ReadonlySet<string>): boolean {
  return !taken.has(name.toLowerCase());
}

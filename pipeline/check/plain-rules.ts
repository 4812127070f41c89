// Rules for single values: paths, globs, ref names, addresses and names of variables. Each gives a reason, or undefined.
import picomatch from "picomatch";

/** What an expression will give is checked when it is known; here any word stands for it. */
function withoutExpressions(text: string): string {
  return text.replace(/\$\{\{[\s\S]*?\}\}/g, "x");
}

/** A path below the workspace, with `/` between its parts. */
export function pathFault(text: string): string | undefined {
  const path = withoutExpressions(text);
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path))
    return "must be relative to the workspace";
  const parts = path.split("/");
  if (parts.includes("..")) return "must stay inside the workspace: '..' is not allowed";
  if (path.startsWith("~")) return "must be relative to the workspace: '~' is not expanded";
  if (parts.some((part) => part.toLowerCase() === ".git")) return "must not lead into '.git'";
  if (/\p{Cc}/u.test(path)) return "must not contain control characters";
  return undefined;
}

/** What a glob costs grows with the square of its length, and groups inside each other multiply it. */
const GLOB_LENGTH_MAX = 500;
const GLOB_GROUPS_MAX = 10;

export function globFault(text: string): string | undefined {
  const glob = text.startsWith("!") ? text.slice(1) : text;
  const fault = pathFault(glob);
  if (fault !== undefined) return fault;
  if (glob.length > GLOB_LENGTH_MAX)
    return `is too long for a glob: at most ${GLOB_LENGTH_MAX} characters`;
  if (glob.split("(").length - 1 > GLOB_GROUPS_MAX)
    return `has too many groups for a glob: at most ${GLOB_GROUPS_MAX}`;
  try {
    picomatch.makeRe(glob, { strictBrackets: true });
    return undefined;
  } catch {
    return "is no valid glob";
  }
}

/** As `git check-ref-format` has it; `refs/…`, tags and commit ids pass too. */
export function refFault(text: string): string | undefined {
  const ref = withoutExpressions(text);
  const isWrong =
    ref === "@" ||
    ref.startsWith("-") ||
    /\.\.|\/\/|@\{|^\/|\/$|\.$/.test(ref) ||
    /[\p{Cc} ~^:?*[\\]/u.test(ref) ||
    ref.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock"));
  return isWrong ? "is no valid name of a branch or ref" : undefined;
}

export function addressFault(text: string): string | undefined {
  const address = withoutExpressions(text);
  if (address.startsWith("-") || /[\p{Cc}\s]/u.test(address))
    return "is no address of a repository";
  if (/^[a-z+]+:\/\/[^/@]*:[^/@]*@/i.test(address)) {
    return "must not contain a password: name a credential instead";
  }
  return undefined;
}

/** Variables that would change what Croft, git, the shell or the loader do. */
const RESERVED = /^(CROFT_|GIT_|LD_|DYLD_)/i;
const DANGEROUS = new Set([
  "PATH",
  "ENV",
  "BASH_ENV",
  "BASHOPTS",
  "SHELLOPTS",
  "IFS",
  "PS4",
  "PROMPT_COMMAND",
  "SSH_ASKPASS",
]);

export function envNameFault(name: string): string | undefined {
  const prefix = RESERVED.exec(name)?.[1];
  if (prefix !== undefined)
    return `variables that begin with ${prefix.toUpperCase()} cannot be set`;
  return DANGEROUS.has(name.toUpperCase()) ? `the variable ${name} cannot be set` : undefined;
}

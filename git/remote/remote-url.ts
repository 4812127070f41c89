// The address of a remote: parsed, checked, and written in one canonical way.
import { createHash } from "node:crypto";
import { isAbsolute, normalize } from "node:path";

/** Canonical: two spellings of one repository are one string. Never has credentials. */
export interface RemoteUrl {
  readonly protocol: "https" | "http" | "ssh" | "file";
  /** As git gets it. */
  readonly text: string;
  readonly host: string;
  /** Without leading slash and `.git`: `owner/name`. */
  readonly path: string;
}

export interface RemoteUrlRules {
  /** Plain paths and file:// of this machine: only for the operator's own checkouts. */
  readonly allowLocal?: boolean | undefined;
  /** Unencrypted HTTP, to these hosts (with port) only: development and tests. */
  readonly allowHttp?: readonly string[] | undefined;
}

export class RemoteUrlError extends Error {
  override readonly name = "RemoteUrlError";
  readonly code = "invalid-remote";
}

const LENGTH_MAX = 2048;
/** `git@host:owner/name`, which is no URL; a Windows drive or a bare path has no host before the colon. */
const SCP_LIKE = /^(?:([\w.-]+)@)?([A-Za-z0-9][\w.-]*):(?!\/\/)([^\s:][^\s]*)$/;

export function parseRemoteUrl(input: string, rules: RemoteUrlRules = {}): RemoteUrl {
  const text = input.trim();
  if (text === "" || text.length > LENGTH_MAX) throw refused("it is empty or too long");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f]/.test(text)) throw refused("it has spaces or control characters");
  if (text.startsWith("-")) throw refused("it begins with a dash");
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(text)) throw refused("its path has dots");
  if (isAbsolute(text)) return localRemote(text, rules);
  const scp = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? null : SCP_LIKE.exec(text);
  if (scp !== null)
    return sshRemote({ user: scp[1] ?? "git", host: scp[2] ?? "", path: scp[3] ?? "" });
  if (!URL.canParse(text))
    throw refused("it is neither a URL, nor host:path, nor an absolute path");
  return fromUrl(new URL(text), rules);
}

/** Directory names carry a hash, because slugs of two repositories can be the same. */
export function directoryNameOf({ text, path }: RemoteUrl): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const slug = path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(-40);
  return slug === "" ? hash : `${hash}-${slug}`;
}

function fromUrl(url: URL, rules: RemoteUrlRules): RemoteUrl {
  switch (url.protocol) {
    case "https:":
      return webRemote(url, "https");
    case "http:":
      if (!rules.allowHttp?.includes(url.host))
        throw refused("plain http is not allowed; use https");
      return webRemote(url, "http");
    case "ssh:":
      if (url.password !== "") throw refused("it has a password in it; store a credential instead");
      return sshRemote({
        user: decoded(url.username, "user name") || "git",
        host: url.hostname,
        port: url.port,
        path: decoded(url.pathname, "path"),
      });
    case "file:":
      return localRemote(decoded(url.pathname, "path"), rules);
    default:
      throw refused(`protocol '${url.protocol.slice(0, 20)}' is not allowed; use https or ssh`);
  }
}

function webRemote(url: URL, protocol: "https" | "http"): RemoteUrl {
  if (url.username !== "" || url.password !== "") {
    throw refused("it has credentials in it; store a credential instead");
  }
  if (url.search !== "" || url.hash !== "") throw refused("it has a query or fragment");
  const path = repositoryPath(decoded(url.pathname, "path"));
  const host = url.host.replace(/\.(?=:\d+$|$)/, ""); // the root's dot
  return { protocol, host, path, text: `${protocol}://${host}/${encoded(path)}.git` };
}

interface SshParts {
  readonly user: string;
  readonly host: string;
  readonly port?: string;
  readonly path: string;
}

function sshRemote({ user, host, port = "", path }: SshParts): RemoteUrl {
  if (!/^[\w.-]+$/.test(user) || user.startsWith("-")) throw refused("its user name is not valid");
  const name = sshHost(host) + (port === "" || port === "22" ? "" : `:${port}`);
  const clean = repositoryPath(path);
  const text = `ssh://${user}@${name}/${encoded(clean)}.git`; // git decodes it once
  return { protocol: "ssh", host: name, path: clean, text };
}

/** As the web's addresses write it: of ssh's own, every spelling would be another host. */
function sshHost(host: string): string {
  const isHost = host !== "" && !host.startsWith("-") && URL.canParse(`https://${host}`);
  const name = isHost ? new URL(`https://${host}`).hostname.replace(/\.$/, "") : "";
  if (name === "" || name.startsWith("-")) throw refused("its host name is not valid");
  return name;
}

function localRemote(path: string, { allowLocal }: RemoteUrlRules): RemoteUrl {
  if (!allowLocal) throw refused("paths of this machine are not allowed");
  const clean = normalize(path).replace(/(.)\/$/, "$1");
  return { protocol: "file", host: "", path: clean.replace(/^\//, ""), text: clean };
}

function repositoryPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) throw refused("it names no repository");
  if (parts.some((part) => part.startsWith("-")))
    throw refused("a part of its path begins with a dash");
  // Looked at when it is decoded: `%2f..%2f` is no part of its own before.
  if (parts.some((part) => part === "." || part === "..")) throw refused("its path has dots");
  if (parts.some((part) => /[\p{Cc}\p{Cs}]/u.test(part)))
    throw refused("its path has control characters");
  return parts.join("/").replace(/\.git$/, "");
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused(`its ${what} is not encoded properly`);
  }
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The address itself is not quoted: it may have a secret in it. */
function refused(reason: string): RemoteUrlError {
  return new RemoteUrlError(`the repository's address is refused: ${reason}`);
}

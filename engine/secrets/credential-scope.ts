// For which repositories a credential is: one host, and a path that theirs must begin with.
import type { CredentialKind } from "@croft/contract";
import type { RemoteUrl } from "@croft/git";
import { EngineError } from "../engine-error.ts";

export interface CredentialScope {
  readonly protocol: "https" | "ssh";
  /** With its port, if it is not the usual one. */
  readonly host: string;
  /** Without leading slash and `.git`; empty for the whole host. */
  readonly path: string;
}

const PROTOCOLS: Record<CredentialKind, CredentialScope["protocol"]> = {
  token: "https",
  basic: "https",
  "ssh-key": "ssh",
  "github-app": "https",
};

/** Never over plain HTTP: a token that was read on the way is everybody's. */
export function parseCredentialScope(kind: CredentialKind, text: string): CredentialScope {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = PROTOCOLS[kind];
  if (url === undefined || url.protocol !== `${protocol}:` || url.hostname === "") {
    throw refused(`must be an address such as ${protocol}://host/owner`);
  }
  if (url.password !== "" || (protocol === "https" && url.username !== "")) {
    throw refused("must have no credentials in it");
  }
  if (url.search !== "" || url.hash !== "") throw refused("must have no query or fragment");
  const isUsual = url.port === "" || (protocol === "ssh" && url.port === "22");
  const host = url.hostname.toLowerCase() + (isUsual ? "" : `:${url.port}`);
  return { protocol, host, path: pathOf(url.pathname) };
}

/** Whole parts only: a credential for `acme` is none for `acme-evil`. */
export function isFor({ protocol, host, path }: CredentialScope, remote: RemoteUrl): boolean {
  if (remote.protocol !== protocol || remote.host !== host) return false;
  return path === "" || remote.path === path || remote.path.startsWith(`${path}/`);
}

/** As parseCredentialScope would read it again. */
export function urlOfScope({ protocol, host, path }: CredentialScope): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `${protocol}://${host}${path === "" ? "" : `/${encoded}`}`;
}

function pathOf(pathname: string): string {
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    throw refused("must have a path that is encoded properly");
  }
  const parts = path.split("/").filter((part) => part !== "");
  const isOdd = (part: string) => part === "." || part === ".." || /[\p{Cc}\p{Cs}]/u.test(part);
  if (parts.some(isOdd)) throw refused("must have a path without dots and control characters");
  return parts.join("/").replace(/\.git$/, "");
}

/** The address is not quoted: it may have a secret in it. */
function refused(reason: string): EngineError {
  return new EngineError("invalid-input", `not valid: url ${reason}`);
}

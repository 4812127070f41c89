// Finds a host's addresses and refuses it when one of them is not public; whoever connects uses what is returned here.
import dns from "node:dns/promises";
import { privateReason } from "./public-address.ts";

/** All addresses of a name, as the system has them. */
export type Lookup = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface ReachRules {
  /** Exact hosts, with port or for all ports, that may be private: `localhost:3000`, `git.internal`, `[::1]:80`. */
  readonly allowPrivate: readonly string[];
  /** Instead of the system's. */
  readonly lookup?: Lookup | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PublicHost {
  /** Canonical: lower case, ASCII, an address as an address. Without brackets and port. */
  readonly hostname: string;
  readonly port: number | undefined;
  /** To connect to, without another question to the resolver. */
  readonly address: string;
  readonly family: 4 | 6;
  /** All of them, each as good as the first. */
  readonly addresses: readonly string[];
}

/**
 * - `private-address`: it leads into a private network, or to this machine: use a public address, or allow the host.
 * - `unknown-host`: it has no address, or the resolver does not answer.
 */
export type AddressErrorCode = "private-address" | "unknown-host";

export class AddressError extends Error {
  override readonly name = "AddressError";
  readonly code: AddressErrorCode;
  readonly host: string;
  /** The one that was refused. */
  readonly address: string | undefined;

  constructor(
    code: AddressErrorCode,
    message: string,
    { host, address, cause }: { host: string; address?: string; cause?: unknown },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.host = host;
    this.address = address;
  }
}

const LOOKUP_TIMEOUT_MS = 20_000;

/**
 * `host` as it stands in a URL, with its port if it has one. All addresses are looked at, because nobody knows which one
 * a program would take; and the answer is to be used, because the next one may be another.
 */
export async function resolvePublic(host: string, rules: ReachRules): Promise<PublicHost> {
  const { hostname, port } = parseHost(host);
  const found = await lookUp(hostname, rules);
  if (!isAllowed({ hostname, port }, rules.allowPrivate)) {
    if (isLocalName(hostname)) throw refused(hostname, hostname, "it is this machine itself");
    for (const { address } of found) {
      const reason = privateReason(address);
      if (reason !== undefined) throw refused(hostname, address, reason);
    }
  }
  const [first] = found;
  if (first === undefined) throw unknown(hostname);
  const addresses = found.map(({ address }) => address);
  return { hostname, port, address: first.address, family: first.family === 6 ? 6 : 4, addresses };
}

interface HostParts {
  readonly hostname: string;
  readonly port: number | undefined;
}

/**
 * By the rules of URLs, which know every notation of an address that resolvers do: `0x7f.1`, `2130706433`, `１２７.1`.
 * Colons without brackets are an address of IPv6.
 */
export function parseHost(host: string): HostParts {
  const isBareV6 = !host.startsWith("[") && host.split(":").length > 2;
  const text = isBareV6 ? `[${host}]` : host;
  if (text.includes("%") && text.startsWith("[")) {
    throw refused(host, host, "it has a zone, which only addresses of this network have");
  }
  // A scheme whose default port nobody has: it would be left out.
  const url = URL.canParse(`ftp://${text}`) ? new URL(`ftp://${text}`) : undefined;
  const isOnlyHost = url !== undefined && !/[/?#@\\\s]/.test(text);
  if (!isOnlyHost || url.hostname === "") throw unknown(host);
  const written = /:(\d+)$/.exec(text)?.[1];
  const port = written === undefined ? undefined : Number(written);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (!/^[a-z0-9._:-]+$/.test(hostname) || hostname.startsWith("-")) throw unknown(host);
  return { hostname, port };
}

function isAllowed({ hostname, port }: HostParts, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const parts = parseHost(entry);
    return parts.hostname === hostname && (parts.port === undefined || parts.port === port);
  });
}

/** Programs have their own idea of it, whatever the resolver says. */
function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

async function lookUp(hostname: string, { lookup = systemLookup, signal }: ReachRules) {
  signal?.throwIfAborted();
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    const late = new Error(`the resolver did not answer within ${LOOKUP_TIMEOUT_MS} ms`);
    const timer = setTimeout(() => reject(late), LOOKUP_TIMEOUT_MS);
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([lookup(hostname), left]);
  } catch (error) {
    throw signal?.aborted ? signal.reason : unknown(hostname, error);
  } finally {
    leave();
  }
}

const systemLookup: Lookup = async (hostname) => await dns.lookup(hostname, { all: true });

function refused(host: string, address: string, reason: string): AddressError {
  const at = address === host ? "" : ` is at ${address}, which`;
  const message = `'${quoted(host)}'${at} is not allowed: ${reason}`;
  return new AddressError("private-address", message, { host, address });
}

function unknown(host: string, cause?: unknown): AddressError {
  const said = cause instanceof Error ? `: ${cause.message}` : "";
  return new AddressError("unknown-host", `host '${quoted(host)}' has no address${said}`, {
    host,
    cause,
  });
}

function quoted(host: string): string {
  return host.slice(0, 255).replaceAll(/\p{C}/gu, "?");
}

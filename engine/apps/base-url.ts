// Where an app may be reached: never inside our own network, unless the operator names the host.
import { AddressError, resolvePublic } from "@croft/git";
import { EngineError } from "../engine-error.ts";

export interface BaseUrlRules {
  /** Exact hosts, with port or for all ports, that may be private and without TLS. */
  readonly allowPrivate: readonly string[];
}

const LENGTH_MAX = 2048;
const PORTS: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" };

/**
 * As it is to be stored. Looked up here, so that a mistake is told at once; what the name means when something is sent is
 * looked at again then.
 */
export async function requireBaseUrl(
  text: string,
  { allowPrivate }: BaseUrlRules,
): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || text.length > LENGTH_MAX || /[\s\p{Cc}\p{Cs}]/u.test(text)) {
    throw refused("must be an address such as https://example.com/croft");
  }
  const port = url.port === "" ? (PORTS[url.protocol] ?? "") : url.port;
  const names = [url.hostname, `${url.hostname}:${port}`];
  const isNamed = allowPrivate.some((host) => names.includes(host.toLowerCase()));
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isNamed)) {
    throw refused("must begin with https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused("must have no credentials in it: deliveries are signed");
  }
  if (text.includes("#")) throw refused("must have no fragment");
  try {
    await resolvePublic(`${url.hostname}:${port}`, { allowPrivate });
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw refused(`cannot be used: ${error.message}`, error);
  }
  return url.href;
}

function refused(reason: string, cause?: unknown): EngineError {
  return new EngineError("unsafe-address", `not valid: base_url ${reason}`, { cause });
}

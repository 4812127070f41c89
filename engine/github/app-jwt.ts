// Says to GitHub who we are: a few minutes' word, signed with the App's private key.
import { createPrivateKey, createSign, type KeyObject } from "node:crypto";

/** GitHub takes ten minutes at most. */
const LASTS_SECONDS = 9 * 60;
/** A clock that is a little ahead would make a word of the future. */
const EARLIER_SECONDS = 30;

export type SignJwt = (now: number) => { readonly jwt: string; readonly expiresAt: string };

/** `now` by GitHub's clock. PKCS#1 as GitHub gives it out, or PKCS#8; read once, and kept where no text has it. */
export function jwtSigner(appId: number, pem: string): SignJwt {
  const key = readKey(pem);
  return (now) => {
    const iat = Math.floor(now / 1000) - EARLIER_SECONDS;
    const exp = iat + LASTS_SECONDS;
    const text = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iat, exp, iss: String(appId) })}`;
    const jwt = `${text}.${createSign("RSA-SHA256").update(text).sign(key, "base64url")}`;
    return { jwt, expiresAt: new Date(exp * 1000).toISOString() };
  };
}

/** Without the reason: it may quote the key. */
function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem.replaceAll("\\n", "\n"));
  } catch {
    throw new TypeError("the private key of the GitHub App cannot be read");
  }
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

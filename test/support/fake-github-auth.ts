// Who asks a fake GitHub, and what they may: the App by a signed JWT, an installation by a token that ends and is narrow.
import { createVerify, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { FakeError } from "./fake-github-error.ts";
import type {
  FakeInstallation,
  FakeRepository,
  FakeState,
  FakeToken,
  Permissions,
} from "./fake-github-state.ts";

export type Caller =
  | { readonly kind: "app" }
  | { readonly kind: "installation"; readonly token: FakeToken }
  | { readonly kind: "nobody" };

const TOKEN_LASTS_MS = 60 * 60_000;
const JWT_LASTS_SECONDS_MAX = 10 * 60;
/** How far the asker's clock may be ahead. */
const AHEAD_SECONDS_MAX = 30;

export function callerOf(state: FakeState, request: IncomingMessage): Caller {
  const value = secretOf(request);
  if (value === undefined) return { kind: "nobody" };
  if (value.split(".").length === 3 && !value.startsWith("ghs_")) {
    checkJwt(state, value);
    return { kind: "app" };
  }
  return { kind: "installation", token: findToken(state, value) };
}

/** What came with the request, whatever it is. */
export function secretOf({ headers }: IncomingMessage): string | undefined {
  const [scheme = "", value] = (headers.authorization ?? "").split(" ");
  if (value === undefined) return undefined;
  if (scheme.toLowerCase() !== "basic") return value;
  return Buffer.from(value, "base64").toString("utf8").split(":")[1];
}

export function kindOfSecret(request: IncomingMessage): "none" | "jwt" | "token" | "basic" {
  const scheme = (request.headers.authorization ?? "").split(" ")[0]?.toLowerCase();
  if (scheme === "basic") return "basic";
  const value = secretOf(request);
  if (value === undefined) return "none";
  return value.startsWith("ghs_") ? "token" : "jwt";
}

function checkJwt(state: FakeState, jwt: string): void {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const bad = (message: string) => new FakeError(401, message);
  const { alg } = parsePart(head);
  const verify = createVerify("RSA-SHA256").update(`${head}.${body}`);
  const isSigned =
    alg === "RS256" && verify.verify(state.keys.publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned) throw bad("A JSON web token could not be decoded");
  const { iat, exp, iss } = parsePart(body) as { iat?: number; exp?: number; iss?: unknown };
  const now = state.now() / 1000;
  if (String(iss) !== String(state.appId)) throw bad("Integration not found");
  if (!Number.isInteger(iat) || Number(iat) > now + AHEAD_SECONDS_MAX) {
    throw bad(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued.",
    );
  }
  if (!Number.isInteger(exp) || Number(exp) <= now) {
    throw bad(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires.",
    );
  }
  if (Number(exp) > now + JWT_LASTS_SECONDS_MAX + AHEAD_SECONDS_MAX) {
    throw bad("'Expiration time' claim ('exp') is too far in the future.");
  }
}

function parsePart(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    throw new FakeError(401, "A JSON web token could not be decoded");
  }
}

/** Expired, revoked and invented ones look the same from outside. */
export function findToken(state: FakeState, value: string): FakeToken {
  const token = state.tokens.find((known) => known.token === value);
  if (token === undefined || token.isRevoked || token.expiresAt <= state.now()) {
    throw new FakeError(401, "Bad credentials");
  }
  return token;
}

interface TokenRequest {
  readonly repositories?: readonly string[];
  readonly repository_ids?: readonly number[];
  readonly permissions?: Permissions;
}

export function giveToken(
  state: FakeState,
  installation: FakeInstallation,
  request: TokenRequest,
): FakeToken {
  if (installation.suspended) throw new FakeError(403, "This installation has been suspended");
  const owned = state.repositories.filter((known) => known.installation === installation);
  const narrowed =
    request.repositories?.map((name) => owned.find((known) => known.name === name)) ??
    request.repository_ids?.map((id) => owned.find((known) => known.id === id));
  if (narrowed?.includes(undefined)) {
    throw new FakeError(
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  }
  const permissions = request.permissions ?? installation.permissions;
  for (const [name, level] of Object.entries(permissions)) {
    if (!allows(installation.permissions, name, level)) {
      throw new FakeError(422, "The permissions requested are not granted to this installation.");
    }
  }
  const token: FakeToken = {
    token: `ghs_${randomBytes(18).toString("hex")}`,
    installation,
    repositories: narrowed as readonly FakeRepository[] | undefined,
    permissions: { metadata: "read", ...permissions },
    expiresAt: state.now() + TOKEN_LASTS_MS,
    isRevoked: false,
  };
  state.tokens.push(token);
  return token;
}

export function allows(granted: Permissions, name: string, level: "read" | "write"): boolean {
  return granted[name] === "write" || granted[name] === level;
}

/** Whether the token is for this repository at all: if not, it is not there. */
export function reaches(token: FakeToken, repository: FakeRepository): boolean {
  if (repository.installation !== token.installation) return false;
  return token.repositories === undefined || token.repositories.includes(repository);
}

// Hashing and checking passwords with argon2id.
import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { EngineError } from "../engine-error.ts";

/** Each takes 19 MiB and a core for some 50 ms: a flood of sign-ins must not take the machine. */
const atOnce = pLimit(2);
const WAITING_MAX = 50;

/** Takes as long to check as a real one, so that an unknown e-mail cannot be told by the clock. */
let decoyHash: Promise<string> | undefined;

export async function hashPassword(password: string): Promise<string> {
  return await admit(() => hash(password));
}

export async function passwordMatches(
  password: string,
  passwordHash: string | undefined,
): Promise<boolean> {
  decoyHash ??= hash("no account has this password");
  const against = passwordHash ?? (await decoyHash);
  const matches = await admit(() => verify(against, password));
  return passwordHash !== undefined && matches;
}

async function admit<T>(work: () => Promise<T>): Promise<T> {
  if (atOnce.pendingCount >= WAITING_MAX) {
    throw new EngineError("unavailable", "too many people sign in at this moment; try again soon");
  }
  return await atOnce(work);
}

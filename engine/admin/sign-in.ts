// E-mail and password → a session.
import type { SignIn } from "@croft/contract";
import type { Engine } from "../engine.ts";
import { EngineError } from "../engine-error.ts";
import { adminOf, findAdminByEmail } from "./admin-store.ts";
import { passwordMatches } from "./password.ts";
import { beginSession, type OpenSession, type Visitor } from "./session.ts";
import { beginAttempt } from "./sign-in-limit.ts";

/** Unknown e-mail and wrong password give the same answer after the same work. */
export async function signIn(
  { database, config, log }: Engine,
  { email, password }: SignIn,
  visitor: Visitor,
): Promise<OpenSession> {
  const attempt = await beginAttempt(database, { address: visitor.address, email });
  const found = await findAdminByEmail(database, email);
  if (!(await passwordMatches(password, found?.password_hash)) || found === undefined) {
    log.warn({ address: visitor.address }, "sign-in failed");
    throw new EngineError("wrong-credentials", "e-mail or password is wrong");
  }
  await attempt.forgive();
  const session = await beginSession(database, config, adminOf(found), visitor);
  log.info({ admin: found.id, session: session.id, address: visitor.address }, "signed in");
  return session;
}

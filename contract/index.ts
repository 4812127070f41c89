// What goes over the wire: schemas, their types, problem codes and the typed client.
export { Admin, AdminRole, Email, Password } from "./admin.ts";
export { type ApiClient, type ClientOptions, createClient } from "./client.ts";
export { Alive, Ready } from "./health.ts";
export { Overview } from "./overview.ts";
export { PASSWORD_LENGTH } from "./password-length.ts";
export { Problem, type ProblemCode, problemCodes } from "./problem.ts";
export { CurrentSession, Session, SessionList, SignIn } from "./session.ts";
export { Setup, SetupLink, SetupState } from "./setup.ts";

// What the product does, without HTTP.
export { type Check, redactText } from "@croft/git";
export { isSetupNeeded } from "./admin/admin-store.ts";
export { secretsEqual } from "./admin/secret.ts";
export {
  beginSession,
  endSession,
  listSessions,
  type OpenSession,
  recogniseSession,
  type Visitor,
} from "./admin/session.ts";
export { createFirstAdmin, createSetupLink, type NewSetupLink } from "./admin/setup.ts";
export { signIn } from "./admin/sign-in.ts";
export type { Config, ConfigInput } from "./config/config.ts";
export { type DescribedSetting, describeConfig } from "./config/describe-config.ts";
export { type ConfigSources, type LoadedConfig, loadConfig } from "./config/load-config.ts";
export { type Setting, settings } from "./config/settings.ts";
export { localTokenPath, readLocalToken } from "./data-directory/local-token.ts";
export { announceServer, findServer, withdrawServer } from "./data-directory/server-address.ts";
export { isDatabaseUnavailable } from "./database/is-database-unavailable.ts";
export type { Database } from "./database/open-database.ts";
export { type Diagnosis, diagnose } from "./diagnose.ts";
export { type Engine, type EngineOptions, openEngine } from "./engine.ts";
export { EngineError, type StartCode, startCodes } from "./engine-error.ts";
export type { Log } from "./log.ts";
export { readOverview } from "./overview/read-overview.ts";

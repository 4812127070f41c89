// HTTP in, engine call, contract out.
export { buildServer, type ServerOptions } from "./build-server.ts";
export { createLog, type ServerLog } from "./create-log.ts";
export { setupUrl } from "./setup-url.ts";
export { type Drain, trackConnections } from "./track-connections.ts";

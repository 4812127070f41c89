// The TypeScript types of the HTTP API, made from the OpenAPI document of a real server.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, openEngine } from "@croft/engine";
import { buildServer, createLog } from "@croft/server";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";

const HEADER = "// Generated from the OpenAPI document by `npm run generate`; do not edit.\n";

export async function apiTypes(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "croft-api-types-"));
  await chmod(root, 0o755); // PostgreSQL may run as another user
  const data = join(root, "data");
  const { config } = await loadConfig({
    flags: { data, "log.level": "warn" },
    env: {},
    directory: root,
    uid: process.getuid?.(),
    home: data,
  });
  const log = await createLog(config.log, { isTerminal: false });
  const engine = await openEngine({ config, log, version: "0.0.0" });
  try {
    const app = await buildServer({
      engine,
      log,
      dashboard: data,
      ownUrl: () => "",
      isDraining: () => false,
    });
    await app.ready();
    const document = app.swagger() as unknown as OpenAPI3;
    await app.close();
    return HEADER + astToString(await openapiTypescript(document));
  } finally {
    await engine.close();
    await rm(root, { recursive: true, force: true });
  }
}

// `croft login`: where to sign in, or a fresh link while there is no admin.
import { EngineError } from "@croft/engine";
import { Command } from "commander";
import { reachLocalServer } from "../local-server.ts";
import { addSettingFlags, readConfig } from "../read-config.ts";

export function loginCommand(): Command {
  const command = new Command("login").description(
    "Print where to sign in; while there is no admin, a new one-time link to create the first",
  );
  return addSettingFlags(command).action(async () => {
    const { config } = await readConfig(command);
    const { url, client } = await reachLocalServer(config);
    const { data, error, response } = await client.POST("/admin/api/setup-links");
    if (data !== undefined) {
      process.stderr.write("Create the first admin with this link:\n");
      process.stdout.write(`${data.url}\n`);
    } else if (error.code === "setup-done") {
      process.stderr.write("Sign in at:\n");
      process.stdout.write(`${url}/login\n`);
    } else {
      const code = response.status === 401 ? "unauthenticated" : "unavailable";
      throw new EngineError(code, error.detail);
    }
  });
}

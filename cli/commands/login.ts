// `croft login`: where to sign in, or a fresh link while there is no admin.
import { EngineError } from "@croft/engine";
import { Command } from "commander";
import { reachLocalServer } from "../local-server.ts";
import { addSettingFlags, readConfig } from "../read-config.ts";
import { reportFailures } from "../report-failures.ts";

export function createCommand(): Command {
  const command = addSettingFlags(new Command("login"));
  return command.action(
    reportFailures(async () => {
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
    }),
  );
}

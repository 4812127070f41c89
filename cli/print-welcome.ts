// What a person sees when the server is ready.
import { createSetupLink, type Engine, isSetupNeeded } from "@croft/engine";
import { setupUrl } from "@croft/server";
import pc from "picocolors";

export async function printWelcome(engine: Engine, url: string): Promise<void> {
  const { config, database, version } = engine;
  const mode = database.mode === "embedded" ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL";
  const lines = [
    `${pc.bold(pc.green("Croft"))} ${version} is ready`,
    "",
    `  Dashboard  ${pc.cyan(url)}`,
    `  Data       ${config.data}`,
    `  Database   ${mode}`,
  ];
  if (await isSetupNeeded(database)) {
    const { token, expiresAt } = await createSetupLink(engine);
    const until = expiresAt.toTimeString().slice(0, 5);
    lines.push(
      "",
      `  Create the first admin with this link, once, until ${until}:`,
      `  ${pc.cyan(setupUrl(url, token))}`,
    );
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

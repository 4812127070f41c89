// `croft apps`: onboard, list, change and remove the clients of the API.
import { duration, EngineError } from "@croft/engine";
import { Command, InvalidArgumentError } from "commander";
import { askApp, askApps, findApp } from "../ask-apps.ts";
import { clientAction } from "../client-action.ts";
import { appLines, describeApp, describeDeletion, rowsOf } from "../describe-app.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer, requireSuccess } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface Options {
  readonly url?: string;
  readonly email: string;
  readonly description?: string;
  readonly keepOld?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const ONCE = "It is not shown again: keep it now.\n";

export function createCommand(): Command {
  return new Command("apps")
    .addCommand(createAdd())
    .addCommand(createList(), { isDefault: true })
    .addCommand(createShow())
    .addCommand(createPause("pause", "Send nothing to an app until it is resumed"))
    .addCommand(createPause("resume", "Send to an app again, also after its address was gone"))
    .addCommand(createRotate("rotate-token", "Give an app another token"))
    .addCommand(createRotate("rotate-secret", "Sign an app's deliveries with another secret"))
    .addCommand(createPing())
    .addCommand(createRemove());
}

/** A command for one app, named by its first argument. */
function commandFor(
  command: Command,
  action: (server: ReachedServer, id: string, options: Options) => Promise<void>,
): Command {
  command.argument("<app>", "its id, or its name").option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const server = await reach();
      const id = await findApp(server, command.args[0] ?? "");
      await action(server, id, command.opts<Options>());
    }),
  );
}

function createAdd(): Command {
  const command = new Command("add")
    .description("Onboard an app; prints its token and signing secret, once")
    .argument("<name>", "what to call it")
    .requiredOption("--email <address>", "who is asked when something is wrong with it")
    .option("--url <url>", "where its deliveries go; without one it is told nothing")
    .option("--description <text>", "what it is for")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { url, email, description = "", json } = command.opts<Options>();
      const { client } = await reach();
      const body = {
        ...{ name: command.args[0] ?? "", email, description, delivery_slots: 4 },
        ...(url === undefined ? {} : { base_url: url }),
      };
      const made = requireAnswer(await client.POST("/api/apps/onboard", { body }));
      if (json) return await writeJson(made);
      const { id, token, signing_secret: secret } = made;
      await writeOutput(
        rowsOf([
          ["id", id],
          ["token", token],
          ["signing secret", secret],
        ] as const),
      );
      process.stderr.write("Token and signing secret are not shown again: keep them now.\n");
    }),
  );
}

function createList(): Command {
  const command = new Command("list")
    .description("List apps, newest first")
    .argument("[search]", "a part of name, e-mail or address")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const apps = await askApps(await reach(), command.args[0]);
      if (command.opts<Options>().json) await writeJson(apps);
      else if (apps.length > 0) await writeOutput(appLines(apps));
      else process.stderr.write("No apps.\n");
    }),
  );
}

function createShow(): Command {
  const command = new Command("show").description("Show an app and what is open");
  return commandFor(command, async (server, id, { json }) => {
    const app = await askApp(server, id);
    await (json ? writeJson(app) : writeOutput(describeApp(app)));
  });
}

function createPause(name: "pause" | "resume", description: string): Command {
  return commandFor(
    new Command(name).description(description),
    async ({ client }, id, { json }) => {
      const params = { path: { id } };
      const body = { paused: name === "pause" };
      const app = requireAnswer(await client.PATCH("/api/apps/{id}", { params, body }));
      if (json) await writeJson(app);
    },
  );
}

function createRotate(name: "rotate-token" | "rotate-secret", description: string): Command {
  const command = new Command(name)
    .description(description)
    .option("--keep-old <duration>", "how long the old one stays valid; 0s ends it at once", ms);
  return commandFor(command, async ({ client }, id, { keepOld = ms("24h"), json }) => {
    const options = { params: { path: { id } }, body: { old_valid_ms: keepOld } };
    if (name === "rotate-token") {
      const made = requireAnswer(await client.POST("/api/apps/{id}/rotate-token", options));
      await (json ? writeJson(made) : writeOutput(`${made.token}\n`));
    } else {
      const asked = await client.POST("/api/apps/{id}/rotate-signing-secret", options);
      const made = requireAnswer(asked);
      await (json ? writeJson(made) : writeOutput(`${made.signing_secret}\n`));
    }
    process.stderr.write(ONCE);
  });
}

function createPing(): Command {
  const command = new Command("ping").description("Send an app a message to test its address");
  return commandFor(command, async ({ client }, id, { json }) => {
    const asked = await client.POST("/api/apps/{id}/ping", { params: { path: { id } } });
    const made = requireAnswer(asked);
    await (json ? writeJson(made) : writeOutput(`${made.delivery_id}\n`));
  });
}

function createRemove(): Command {
  const command = new Command("remove")
    .description("Delete an app and all that is its own")
    .option("--yes", "do it; without this it is only told what would go");
  return commandFor(command, async ({ client }, id, { yes, json }) => {
    const params = { path: { id } };
    const going = requireAnswer(await client.GET("/api/apps/{id}/deletion", { params }));
    await (json ? writeJson(going) : writeOutput(describeDeletion(going)));
    if (!yes) throw new EngineError("invalid-input", "nothing was deleted: say --yes");
    requireSuccess(await client.DELETE("/admin/api/apps/{id}", { params }));
    process.stderr.write("The app is deleted.\n");
  });
}

function ms(text: string): number {
  const parsed = duration("0s", "30d").safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(parsed.error.issues.map(({ message }) => message).join("; "));
}

// `croft secrets`: set, list and remove what jobs are given and nobody is shown; another encryption key for all of it.
import { setTimeout as delay } from "node:timers/promises";
import type { EncryptionKeys, Secret } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { Command } from "commander";
import { clientAction, type Reach } from "../client-action.ts";
import { addDataFlags } from "../read-config.ts";
import { readSecretValue } from "../read-secret-value.ts";
import { requireAnswer, requireSuccess } from "../require-answer.ts";
import { writeJson, writeOutput } from "../write-output.ts";

const PAGE = 200;
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 60_000;

export function createCommand(): Command {
  return new Command("secrets")
    .addCommand(createSet())
    .addCommand(createList())
    .addCommand(createRemove())
    .addCommand(createRotate());
}

function createSet(): Command {
  const command = new Command("set")
    .description("Set a secret to what is typed, or piped in")
    .argument("<name>", "letters, digits, _ and -")
    .option("--owner <owner>", "installation:<id>, for work that events of GitHub start");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [name = ""] = command.args;
      const { client } = await reach(); // before anything is typed in vain
      const value = await readSecretValue(`Value of ${name} (not shown): `);
      const { owner } = command.opts<{ owner?: string }>();
      const params = { path: { name }, query: owner === undefined ? {} : { owner } };
      requireAnswer(await client.PUT("/api/secrets/{name}", { params, body: { value } }));
      process.stderr.write(`Secret ${name} is set.\n`);
    }),
  );
}

function createList(): Command {
  const command = new Command("list")
    .description("List secrets by name; values are shown to nobody")
    .option("--owner <owner>", "only those of this owner")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { owner, json } = command.opts<{ owner?: string; json?: boolean }>();
      const secrets = await askSecrets(reach, owner);
      if (json) await writeJson(secrets);
      else if (secrets.length > 0) await writeOutput(linesOf(secrets));
      else process.stderr.write("No secrets.\n");
    }),
  );
}

function createRemove(): Command {
  const command = new Command("remove")
    .description("Remove a secret")
    .argument("<name>", "the secret")
    .option("--owner <owner>", "whose, if it is not your own");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [name = ""] = command.args;
      const { owner } = command.opts<{ owner?: string }>();
      const query = owner === undefined ? {} : { owner };
      const { client } = await reach();
      const params = { path: { name }, query };
      requireSuccess(await client.DELETE("/api/secrets/{name}", { params }));
    }),
  );
}

function createRotate(): Command {
  const command = new Command("rotate-key").description("Encrypt everything with a new key");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const begun = requireAnswer(await client.POST("/admin/api/encryption-keys/rotate"));
      const { keys, file } = await untilDone(reach, begun);
      process.stderr.write(`Everything is encrypted with the key ${keys[0]?.id ?? ""}.\n`);
      if (file === "operator") {
        process.stderr.write("The lines of older keys may be removed from secrets.keyFile.\n");
      }
    }),
  );
}

/** The server goes on with it, whether anybody waits or not. */
async function untilDone(reach: Reach, begun: EncryptionKeys): Promise<EncryptionKeys> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let state = begun;
  while (state.keys.length > 1) {
    if (performance.now() > giveUpAt) {
      const left = state.keys.slice(1).reduce((sum, { values }) => sum + values, 0);
      const reason = `${left} values still have an older key, and the server goes on with them; its log says if some cannot be read`;
      throw new EngineError("unavailable", reason);
    }
    await delay(LOOK_EVERY_MS);
    const { client } = await reach();
    state = requireAnswer(await client.GET("/admin/api/encryption-keys"));
  }
  return state;
}

async function askSecrets(reach: Reach, owner: string | undefined): Promise<Secret[]> {
  const { client } = await reach();
  const secrets: Secret[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      limit: PAGE,
      ...(owner === undefined ? {} : { owner }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = requireAnswer(await client.GET("/api/secrets", { params: { query } }));
    secrets.push(...page.secrets);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return secrets;
}

/** One a line, divided by tabs: name, owner, when it was set, when it was last used. */
function linesOf(secrets: readonly Secret[]): string {
  return secrets
    .map(({ name, owner, updated_at, last_used_at }) =>
      [name, owner, updated_at, last_used_at ?? "-"].join("\t").concat("\n"),
    )
    .join("");
}

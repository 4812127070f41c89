// `croft deliveries`: what was sent to whom, how it went, and once more.
import { type Delivery, type DeliveryDetails, DeliveryState } from "@croft/contract";
import { Command, Option } from "commander";
import { findApp } from "../ask-apps.ts";
import { askPages } from "../ask-pages.ts";
import { clientAction } from "../client-action.ts";
import { deliveryTable, describeDelivery } from "../describe-delivery.ts";
import { eachJob } from "../each-job.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface ListOptions {
  readonly app?: string;
  readonly watch?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 100_000;

export function createCommand(): Command {
  return new Command("deliveries")
    .addCommand(createList(), { isDefault: true })
    .addCommand(createShow())
    .addCommand(createReplay());
}

function createList(): Command {
  const command = new Command("list")
    .description("List deliveries, newest first")
    .option("--app <app>", "only those to this app, by its id or name")
    .option("--watch <id>", "only those of this watch")
    .addOption(new Option("--state <state>", "only these").choices(DeliveryState.options))
    .option("--limit <number>", "at most so many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<ListOptions>();
      const deliveries = await askDeliveries(await reach(), options);
      if (options.json) await writeJson(deliveries);
      else if (deliveries.length > 0) await writeOutput(deliveryTable(deliveries));
      else process.stderr.write("No deliveries.\n");
    }),
  );
}

async function askDeliveries(server: ReachedServer, options: ListOptions): Promise<Delivery[]> {
  const { watch, state, limit } = options;
  const app = options.app === undefined ? undefined : await findApp(server, options.app);
  const filter = {
    ...(app === undefined ? {} : { app }),
    ...(watch === undefined ? {} : { watch }),
    ...(state === undefined ? {} : { state }),
  };
  return await askPages(limit, async (page) => {
    const params = { query: { ...filter, ...page } };
    const answer = requireAnswer(await server.client.GET("/api/deliveries", { params }));
    return { items: answer.deliveries, next_cursor: answer.next_cursor };
  });
}

function createShow(): Command {
  const command = new Command("show")
    .description("Show a delivery, its files and its tries")
    .argument("<id>", "the delivery")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const params = { path: { id: command.args[0] ?? "" } };
      const found = requireAnswer(await client.GET("/api/deliveries/{id}", { params }));
      await (command.opts()["json"] ? writeJson(found) : writeOutput(describeDelivery(found)));
    }),
  );
}

function createReplay(): Command {
  const command = new Command("replay")
    .description("Send deliveries once more, now")
    .argument("<ids...>", "the deliveries")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const again = await eachJob<DeliveryDetails>(command.args, async (id) =>
        requireAnswer(
          await client.POST("/api/deliveries/{id}/replay", { params: { path: { id } } }),
        ),
      );
      if (command.opts()["json"]) await writeJson(again);
      else await writeOutput(again.map(({ id }) => `${id}\n`).join(""));
    }),
  );
}

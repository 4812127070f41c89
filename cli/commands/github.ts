// `croft github`: what GitHub sent, what became of it, once more, and who has installed the App.
import { type GithubEvent, type GithubEventDetails, GithubEventStatus } from "@croft/contract";
import { Command, Option } from "commander";
import { askPages } from "../ask-pages.ts";
import { clientAction } from "../client-action.ts";
import { describeEvent, eventTable, installationTable } from "../describe-github.ts";
import { eachJob } from "../each-job.ts";
import { createCheck } from "../github-check.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface ListOptions {
  readonly installation?: number;
  readonly event?: string;
  readonly status?: GithubEventStatus;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 100_000;

export function createCommand(): Command {
  return new Command("github")
    .addCommand(createEvents(), { isDefault: true })
    .addCommand(createShow())
    .addCommand(createReplay())
    .addCommand(createInstallations())
    .addCommand(createCheck());
}

function createEvents(): Command {
  const command = new Command("events")
    .description("List events, newest first")
    .option("--installation <id>", "only those of this one", wholeNumber(1, 2 ** 53 - 1))
    .option("--event <name>", "only these: push, pull_request, …")
    .addOption(new Option("--status <status>", "only these").choices(GithubEventStatus.options))
    .option("--limit <number>", "at most so many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<ListOptions>();
      const events = await askEvents(await reach(), options);
      if (options.json) await writeJson(events);
      else if (events.length > 0) await writeOutput(eventTable(events));
      else process.stderr.write("No events.\n");
    }),
  );
}

async function askEvents(
  { client }: ReachedServer,
  { installation, event, status, limit }: ListOptions,
): Promise<GithubEvent[]> {
  const filter = {
    ...(installation === undefined ? {} : { installation }),
    ...(event === undefined ? {} : { event }),
    ...(status === undefined ? {} : { status }),
  };
  return await askPages(limit, async (page) => {
    const params = { query: { ...filter, ...page } };
    const answer = requireAnswer(await client.GET("/api/github/events", { params }));
    return { items: answer.events, next_cursor: answer.next_cursor };
  });
}

function createShow(): Command {
  const command = new Command("show")
    .description("Show an event and what it started; as JSON with its payload")
    .argument("<id>", "the event")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const params = { path: { id: command.args[0] ?? "" } };
      const found = requireAnswer(await client.GET("/api/github/events/{id}", { params }));
      await (command.opts()["json"] ? writeJson(found) : writeOutput(describeEvent(found)));
    }),
  );
}

function createReplay(): Command {
  const command = new Command("replay")
    .description("Handle events once more: they start their work anew")
    .argument("<ids...>", "the events")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const again = await eachJob<GithubEventDetails>(command.args, async (id) =>
        requireAnswer(
          await client.POST("/api/github/events/{id}/replay", { params: { path: { id } } }),
        ),
      );
      if (command.opts()["json"]) await writeJson(again);
      else await writeOutput(again.map(({ id }) => `${id}\n`).join(""));
    }),
  );
}

function createInstallations(): Command {
  const command = new Command("installations")
    .description("List who has installed the App, as far as events told")
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      const installations = await askPages(LIMIT_MAX, async ({ limit, cursor }) => {
        const after = cursor === undefined ? {} : { cursor: Number(cursor) };
        const params = { query: { limit, ...after } };
        const answer = requireAnswer(await client.GET("/api/github/installations", { params }));
        return { items: answer.installations, next_cursor: answer.next_cursor };
      });
      if (command.opts()["json"]) await writeJson(installations);
      else if (installations.length > 0) await writeOutput(installationTable(installations));
      else process.stderr.write("No installations.\n");
    }),
  );
}

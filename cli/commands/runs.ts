// `croft runs`: a list, and one with its steps.
import { type Run, RunStatus } from "@croft/contract";
import { Command, Option } from "commander";
import { askPages } from "../ask-pages.ts";
import { clientAction } from "../client-action.ts";
import { ageOf } from "../job-table.ts";
import { plainTable } from "../plain-table.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer } from "../require-answer.ts";
import { stepTree } from "../step-tree.ts";
import { plainText } from "../terminal-text.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeJson, writeOutput } from "../write-output.ts";

interface ListOptions {
  readonly status?: RunStatus;
  readonly name?: string;
  readonly sourceTaskId?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 100_000;

export function createCommand(): Command {
  const command = new Command("runs")
    .argument("[id]", "show this run only, with its steps")
    .addOption(new Option("--status <status>", "only these").choices(RunStatus.options))
    .option("--name <name>", "only runs of this pipeline")
    .option("--source-task-id <id>", "only runs started with it")
    .option("--limit <number>", "at most so many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<ListOptions>();
      const [id] = command.args;
      const server = await reach();
      if (id === undefined) await list(await askRuns(server, options), options);
      else await show(server, id, options);
    }),
  );
}

async function list(runs: readonly Run[], { json }: ListOptions): Promise<void> {
  if (json) await writeJson(runs);
  else if (runs.length > 0) await writeOutput(runTable(runs));
  else process.stderr.write("No runs.\n");
}

async function show({ client }: ReachedServer, id: string, { json }: ListOptions): Promise<void> {
  const run = requireAnswer(await client.GET("/api/runs/{id}", { params: { path: { id } } }));
  if (json) await writeJson(run);
  else {
    const size = { columns: process.stdout.columns ?? Number.POSITIVE_INFINITY };
    const tree = stepTree(run, size, { nowMs: Date.now(), frame: 0 });
    const rows = [`${run.id} ${run.status}`, ...(run.error === null ? [] : [run.error.message])];
    await writeOutput([...rows.map(plainText), ...tree].map((line) => `${line}\n`).join(""));
  }
}

/** The newest. */
async function askRuns({ client }: ReachedServer, options: ListOptions): Promise<Run[]> {
  const { status, name, sourceTaskId, limit } = options;
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name }),
    ...(sourceTaskId === undefined ? {} : { source_task_id: sourceTaskId }),
  };
  return await askPages(limit, async (page) => {
    const query = { ...filter, ...page };
    const { runs, next_cursor } = requireAnswer(
      await client.GET("/api/runs", { params: { query } }),
    );
    return { items: runs, next_cursor };
  });
}

function runTable(runs: readonly Run[]): string {
  const isTTY = process.stdout.isTTY;
  const now = Date.now();
  const rows = runs.map(({ id, status, name, number, owner, created_at, error }) => [
    ...[id, status, `${name} #${number}`, owner],
    ...[isTTY ? ageOf(created_at, now) : created_at, error?.message ?? ""],
  ]);
  return plainTable(["ID", "STATUS", "RUN", "OWNER", isTTY ? "AGE" : "CREATED", ""], rows);
}

// `croft assets`: list, download, upload and remove stored files.
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { type Asset, AssetKind } from "@croft/contract";
import { Command, Option } from "commander";
import { type AssetFilter, askAsset, askAssets, type NewUpload, sendAsset } from "../ask-assets.ts";
import { byteText } from "../byte-text.ts";
import { clientAction } from "../client-action.ts";
import { ageOf } from "../job-table.ts";
import { plainTable } from "../plain-table.ts";
import type { ReachedServer } from "../reach-server.ts";
import { addDataFlags } from "../read-config.ts";
import { requireAnswer, requireSuccess } from "../require-answer.ts";
import { saveAsset } from "../save-asset.ts";
import { stopSignal } from "../stop-signal.ts";
import { plainText } from "../terminal-text.ts";
import { TransferProgress } from "../transfer-progress.ts";
import { wholeNumber } from "../whole-number.ts";
import { writeJson, writeOutput } from "../write-output.ts";

const LIMIT_DEFAULT = 30;
const LIMIT_MAX = 100_000;

export function createCommand(): Command {
  return new Command("assets")
    .addCommand(createList())
    .addCommand(createGet())
    .addCommand(createPut())
    .addCommand(createDelete());
}

const BYTES_MAX = Number.MAX_SAFE_INTEGER;

interface ListOptions
  extends Omit<AssetFilter, "source_task_id" | "declared_type" | "bytes_min" | "bytes_max"> {
  readonly sourceTaskId?: string;
  readonly declaredType?: string;
  readonly bytesMin?: number;
  readonly bytesMax?: number;
  readonly limit: number;
  readonly json?: boolean;
}

function createList(): Command {
  const command = new Command("list")
    .description("List stored files, the newest first")
    .addOption(new Option("--kind <kind>", "only these").choices(AssetKind.options))
    .option("--type <type>", "only of this media type, or its first part: image")
    .option("--declared-type <type>", "only those of which somebody said so")
    .option("--search <text>", "only those with this in their name")
    .option("--name <name>", "only those with exactly this name")
    .option("--sha256 <hex>", "only those with these contents")
    .option("--bytes-min <number>", "only those of this size or more", wholeNumber(0, BYTES_MAX))
    .option("--bytes-max <number>", "only those of this size or less", wholeNumber(0, BYTES_MAX))
    .option("--job <id>", "only files of this job")
    .option("--run <id>", "only files of this run")
    .option("--step <name>", "only files of this step")
    .option("--commit <id>", "only files that were made from this commit")
    .option("--source-task-id <id>", "only files with this id of yours")
    .option("--owner <owner>", "only files of this owner")
    .option("--limit <number>", "at most so many", wholeNumber(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option("--json", "as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const options = command.opts<ListOptions>();
      const assets = await askAssets(await reach(), filterOf(options), options.limit);
      if (options.json) await writeJson(assets);
      else if (assets.length > 0) await writeOutput(assetTable(assets));
      else process.stderr.write("No assets.\n");
    }),
  );
}

/** The flags of the data directory are among the options, too. */
function filterOf(options: ListOptions): AssetFilter {
  const { kind, type, search, name, sha256, job, run, step, commit, owner } = options;
  const all = {
    ...{ kind, type, search, name, sha256, job, run, step, commit, owner },
    ...{ source_task_id: options.sourceTaskId, declared_type: options.declaredType },
    ...{ bytes_min: options.bytesMin, bytes_max: options.bytesMax },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function assetTable(assets: readonly Asset[]): string {
  const isTTY = process.stdout.isTTY;
  const now = Date.now();
  const rows = assets.map(({ id, kind, bytes, media_type, created_at, name }) => [
    ...[id, kind, isTTY ? byteText(bytes) : String(bytes), media_type],
    ...[isTTY ? ageOf(created_at, now) : created_at, name],
  ]);
  return plainTable(["ID", "KIND", "SIZE", "TYPE", isTTY ? "AGE" : "CREATED", "NAME"], rows);
}

interface GetOptions {
  readonly output?: string;
  readonly force?: boolean;
}

function createGet(): Command {
  const command = new Command("get")
    .description("Download a file into the current directory, under its own name made harmless")
    .argument("<id>", "the asset")
    .option("-o, --output <path>", "into this directory, or as this file; - is stdout")
    .option("--force", "replace a file that is there already");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [id = ""] = command.args;
      const options = command.opts<GetOptions>();
      const server = await reach();
      const asset = await askAsset(server, id);
      if (options.output === "-") return await print(server, asset);
      const { directory, name } = await placeOf(options.output);
      const signal = stopSignal(); // Ctrl-C must not leave a part of it behind
      const progress = new TransferProgress(asset.name, asset.bytes);
      const onBytes = (bytes: number) => progress.add(bytes);
      const wish = { force: options.force, name, onBytes, signal };
      const saving = saveAsset(server, asset, directory, wish);
      const path = await saving.finally(() => progress.end());
      process.stderr.write(`Saved ${plainText(path)} (${byteText(asset.bytes)}).\n`);
    }),
  );
}

/** A directory, or what ends with a slash, is to be filled; all else is the file itself. */
async function placeOf(output = ".") {
  const found = await stat(output).catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(error.code ?? "")) return undefined;
    throw error;
  });
  if (output.endsWith("/") || found?.isDirectory() === true) {
    return { directory: resolve(output), name: undefined };
  }
  const path = resolve(output);
  return { directory: dirname(path), name: basename(path) };
}

async function print({ client }: ReachedServer, { id }: Asset): Promise<void> {
  const answer = await client.GET("/api/assets/{id}/content", {
    params: { path: { id } },
    parseAs: "stream",
  });
  const body = requireAnswer(answer) as unknown as AsyncIterable<Uint8Array>;
  for await (const piece of body) await writeOutput(piece);
}

function createPut(): Command {
  const command = new Command("put")
    .description("Upload a file; its id is printed")
    .argument("<file>", "- is what is piped in")
    .option("--name <name>", "instead of the file's own")
    .option("--type <type>", "its media type; by default the server looks at its contents")
    .option("--source-task-id <id>", "an id of yours, to find it by")
    .option("--commit <id>", "what it was made from")
    .option("--json", "print the asset as JSON");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const [file = ""] = command.args;
      const { json, ...options } = command.opts<NewUpload & { readonly json?: boolean }>();
      const asset = await sendAsset(await reach(), { ...options, file });
      await (json ? writeJson(asset) : writeOutput(`${asset.id}\n`));
    }),
  );
}

function createDelete(): Command {
  const command = new Command("delete")
    .description("Remove stored files")
    .argument("<id...>", "the assets");
  return addDataFlags(command).action(
    clientAction(command, async (reach) => {
      const { client } = await reach();
      for (const id of command.args) {
        requireSuccess(await client.DELETE("/api/assets/{id}", { params: { path: { id } } }));
      }
    }),
  );
}

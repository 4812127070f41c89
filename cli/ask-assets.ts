// What the commands ask a server about assets.
import { createReadStream, type ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import type { Asset, AssetQuery } from "@croft/contract";
import { EngineError } from "@croft/engine";
import { askPages } from "./ask-pages.ts";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import { TransferProgress } from "./transfer-progress.ts";

/** What is not asked for is left out. */
export type AssetFilter = {
  [Name in keyof Omit<AssetQuery, "cursor" | "limit">]?: NonNullable<AssetQuery[Name]>;
};

export async function askAsset({ client }: ReachedServer, id: string): Promise<Asset> {
  return requireAnswer(await client.GET("/api/assets/{id}", { params: { path: { id } } }));
}

/** The newest. */
export async function askAssets(
  { client }: ReachedServer,
  filter: AssetFilter,
  count: number,
): Promise<Asset[]> {
  return await askPages(count, async (page) => {
    const query = { ...filter, ...page };
    const { assets, next_cursor } = requireAnswer(
      await client.GET("/api/assets", { params: { query } }),
    );
    return { items: assets, next_cursor };
  });
}

export interface NewUpload {
  /** `-` is what is piped in. */
  readonly file: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly sourceTaskId?: string | undefined;
  readonly commit?: string | undefined;
}

export async function sendAsset({ client }: ReachedServer, upload: NewUpload): Promise<Asset> {
  const { file, type, sourceTaskId, commit } = upload;
  const name = upload.name ?? (file === "-" ? undefined : basename(file));
  if (name === undefined) throw new EngineError("invalid-input", "what is piped in needs a --name");
  const { stream, sizeBytes } = await openSource(file);
  const progress = new TransferProgress(name, sizeBytes);
  async function* counted() {
    for await (const chunk of stream) {
      progress.add(chunk.length);
      yield chunk;
    }
  }
  try {
    const query = {
      name,
      ...(sourceTaskId === undefined ? {} : { source_task_id: sourceTaskId }),
      ...(commit === undefined ? {} : { commit }),
    };
    const answer = await client.POST("/api/assets", {
      params: { query },
      headers: { "content-type": type ?? "application/octet-stream" },
      body: Readable.toWeb(Readable.from(counted(), { objectMode: false })),
      bodySerializer: (body: unknown) => body,
      ...{ duplex: "half" }, // the answer may come before all was sent
    });
    return requireAnswer(answer);
  } finally {
    progress.end();
    stream.destroy();
  }
}

async function openSource(file: string): Promise<{
  readonly stream: NodeJS.ReadStream | ReadStream;
  readonly sizeBytes: number | undefined;
}> {
  if (file === "-") return { stream: process.stdin, sizeBytes: undefined };
  try {
    const handle = await open(file);
    const found = await handle.stat();
    if (found.isDirectory()) {
      await handle.close();
      throw new EngineError("invalid-input", `'${file}' is a directory`);
    }
    const stream = createReadStream(file, { fd: handle });
    return { stream, sizeBytes: found.isFile() ? found.size : undefined };
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const { message } = error as Error;
    throw new EngineError("invalid-input", `'${file}' cannot be read: ${message}`, {
      cause: error,
    });
  }
}

// Downloads an asset into a directory, whole or not at all; its own name cannot lead anywhere else.
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Asset, safeFileName } from "@croft/contract";
import { DIRECTORY_MEDIA_TYPE, EngineError } from "@croft/engine";
import type { ReachedServer } from "./reach-server.ts";
import { requireAnswer } from "./require-answer.ts";
import { plainText } from "./terminal-text.ts";

export interface SaveOptions {
  /** Takes the place of a file that is there already. */
  readonly force?: boolean | undefined;
  /** As whoever saves it wants it; without one it is the asset's own, made harmless: somebody else has chosen that. */
  readonly name?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** With each piece that has come. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Returns where it is. What was written in part is gone again, also when the signal ends it. */
export async function saveAsset(
  { client }: Pick<ReachedServer, "client">,
  asset: Asset,
  directory: string,
  { force = false, name, signal, onBytes = () => {} }: SaveOptions = {},
): Promise<string> {
  const path = join(directory, name ?? safeFileName(downloadName(asset)));
  const part = join(directory, `.croft-${randomUUID()}.part`);
  const answer = await client.GET("/api/assets/{id}/content", {
    params: { path: { id: asset.id } },
    parseAs: "stream",
    ...(signal === undefined ? {} : { signal }),
  });
  const body = requireAnswer(answer) as unknown as AsyncIterable<Uint8Array>;
  try {
    await mkdir(directory, { recursive: true });
    await writeWhole(part, told(body, onBytes), asset);
    await putInPlace(part, path, force);
  } catch (error) {
    throw explained(error, path);
  } finally {
    await rm(part, { force: true });
  }
  return path;
}

async function* told(body: AsyncIterable<Uint8Array>, onBytes: (bytes: number) => void) {
  for await (const piece of body) {
    onBytes(piece.length);
    yield piece;
  }
}

/** A directory comes as an archive. */
function downloadName({ name, media_type }: Asset): string {
  return media_type === DIRECTORY_MEDIA_TYPE && !name.endsWith(".tar") ? `${name}.tar` : name;
}

async function writeWhole(
  path: string,
  body: AsyncIterable<Uint8Array>,
  { bytes, sha256 }: Asset,
): Promise<void> {
  const file = await open(path, "wx", 0o666);
  try {
    const hash = createHash("sha256");
    let written = 0;
    for await (const piece of body) {
      hash.update(piece);
      written += piece.length;
      await writeAll(file, piece);
    }
    if (written !== bytes || hash.digest("hex") !== sha256) {
      throw new EngineError("unavailable", "what came is not what the server has: try again");
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    at += (await file.write(piece, at)).bytesWritten;
  }
}

/** A link at that place is replaced, never followed. Without `force` nothing that is there is touched, however it came. */
async function putInPlace(part: string, path: string, force: boolean): Promise<void> {
  if (force) return await rename(part, path);
  try {
    await link(part, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    await copyFile(part, path, constants.COPYFILE_EXCL); // a file system without hard links
  }
}

function explained(error: unknown, path: string): unknown {
  const shown = plainText(path);
  const reasons: Record<string, string> = {
    EEXIST: `'${shown}' is there already: --force replaces it`,
    EISDIR: `'${shown}' is a directory`,
    ENOTDIR: `'${shown}' cannot be written: a part of its path is no directory`,
    EACCES: `'${shown}' cannot be written: permission denied`,
    EROFS: `'${shown}' cannot be written: the file system is read-only`,
    ENAMETOOLONG: `'${shown}' cannot be written: the name is too long`,
    ENOSPC: `'${shown}' cannot be written: the disk is full`,
    EDQUOT: `'${shown}' cannot be written: the disk is full`,
  };
  const reason = reasons[(error as NodeJS.ErrnoException | undefined)?.code ?? ""];
  return reason === undefined ? error : new EngineError("invalid-input", reason, { cause: error });
}

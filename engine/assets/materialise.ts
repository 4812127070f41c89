// Puts the contents of an asset into a job's directory, and nowhere else, whatever the job has put in the way.
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Asset } from "@croft/contract";
import { AssetError, asAssetError } from "./asset-error.ts";
import type { Assets } from "./assets.ts";
import type { GrowingRoom } from "./disk-reserve.ts";
import {
  type HostileFile,
  type OpenDirectory,
  openDirectory,
  partsOf,
  pathIn,
  shown,
  unsafe,
} from "./open-inside.ts";
import { openAsset } from "./read-assets.ts";
import { writeWhole } from "./write-whole.ts";

export interface MaterialiseTarget extends HostileFile {
  /** Of the file; directories that are made on the way get 0755. */
  readonly mode?: number | undefined;
}

/**
 * A copy, never a link: the job may write it. Missing directories are made; what bears the name already is replaced, a link
 * itself and not what it leads to. With `user`, file and new directories belong to that one.
 */
export async function materialise(
  assets: Assets,
  asset: Asset,
  { directory, path, user, mode = 0o644 }: MaterialiseTarget,
): Promise<void> {
  const parts = partsOf(path);
  const name = parts.pop() ?? "";
  const place = await enterDirectories({ directory, parts, user });
  try {
    const room = assets.reserve.roomIn(directory);
    await put(assets, asset, { place, name, path, user, mode, room });
  } catch (error) {
    throw asAssetError(error);
  } finally {
    await place.handle.close();
  }
}

/** Down to the last of these, which are made where they are missing. */
export async function enterDirectories({
  directory,
  parts,
  user,
}: Pick<HostileFile, "directory" | "user"> & {
  readonly parts: readonly string[];
}): Promise<OpenDirectory> {
  let place = await openDirectory(directory, directory);
  try {
    for (const part of parts) {
      const next = await enter(place, part, user);
      await place.handle.close();
      place = next;
    }
    return place;
  } catch (error) {
    await place.handle.close();
    throw asAssetError(error);
  }
}

async function enter(
  place: OpenDirectory,
  part: string,
  user: HostileFile["user"],
): Promise<OpenDirectory> {
  const at = pathIn(place, part);
  const isMade = await mkdir(at, { mode: 0o755 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
  const entered = await openDirectory(at, join(place.path, part));
  if (isMade && user !== undefined) {
    try {
      // Another one in its place meanwhile is not given away, if it is not ours.
      const { uid } = await entered.handle.stat();
      if (uid === process.getuid?.()) await entered.handle.chown(user.uid, user.gid);
    } catch (error) {
      await entered.handle.close();
      throw error;
    }
  }
  return entered;
}

interface Putting extends Pick<MaterialiseTarget, "path" | "user"> {
  readonly place: OpenDirectory;
  readonly name: string;
  readonly mode: number;
  readonly room: GrowingRoom;
}

async function put(
  assets: Assets,
  asset: Asset,
  { place, name, path, user, mode, room }: Putting,
): Promise<void> {
  const draft = pathIn(place, `.croft-${randomUUID().slice(0, 8)}`);
  const stored = await openAsset(assets, asset);
  let file: FileHandle | undefined;
  try {
    file = await open(draft, "wx", 0o600);
    const source = stored.stream();
    const { sha256 } = await writeWhole(file, source, { maxBytes: asset.bytes, room });
    if (sha256 !== asset.sha256) {
      throw new AssetError("lost", `the contents of asset '${asset.id}' are not what they were`);
    }
    await file.chmod(mode);
    if (user !== undefined) await file.chown(user.uid, user.gid);
    await rename(draft, pathIn(place, name));
  } catch (error) {
    await rm(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR" || code === "ENOTEMPTY" || code === "EEXIST") {
      throw unsafe(shown(path), "is a directory already", error);
    }
    throw error;
  } finally {
    await file?.close();
    await stored.close();
  }
}

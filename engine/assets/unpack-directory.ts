// Puts a stored directory into a job's directory, and nowhere else.
import { createHash, randomUUID } from "node:crypto";
import { lchown, mkdir, open, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Asset } from "@croft/contract";
import { AssetError, asAssetError } from "./asset-error.ts";
import type { Assets } from "./assets.ts";
import type { GrowingRoom } from "./disk-reserve.ts";
import { enterDirectories, type MaterialiseTarget } from "./materialise.ts";
import { type OpenDirectory, openDirectory, partsOf, pathIn } from "./open-inside.ts";
import { openAsset } from "./read-assets.ts";
import { readTar, type TarReader } from "./read-tar.ts";
import type { TarEntry } from "./write-tar.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Beside its place first, and there only when it is whole and what was stored. What bears the name already is replaced, as
 * when a file is put there. With `user`, everything belongs to that one.
 */
export async function unpackDirectory(
  assets: Assets,
  asset: Asset,
  { directory, path, user }: MaterialiseTarget,
): Promise<void> {
  const parts = partsOf(path);
  const name = parts.pop() ?? "";
  const place = await enterDirectories({ directory, parts, user });
  const draft = `.croft-${randomUUID().slice(0, 8)}`;
  const old = `${draft}-old`;
  try {
    await unpack(assets, asset, { directory, place, name: draft, user });
    await rename(pathIn(place, name), pathIn(place, old)).catch(unlessMissing);
    await rename(pathIn(place, draft), pathIn(place, name));
  } catch (error) {
    throw asAssetError(error);
  } finally {
    for (const left of [draft, old])
      await rm(pathIn(place, left), { recursive: true, force: true });
    await place.handle.close();
  }
}

interface Unpacking {
  readonly directory: string;
  readonly place: OpenDirectory;
  readonly name: string;
  readonly user: MaterialiseTarget["user"];
}

async function unpack(assets: Assets, asset: Asset, { directory, place, name, user }: Unpacking) {
  const stored = await openAsset(assets, asset);
  const hash = createHash("sha256");
  const source = stored.stream();
  const hashed = async function* () {
    for await (const chunk of source) {
      hash.update(chunk as Buffer);
      yield chunk as Buffer;
    }
  };
  const way = new WayDown(user);
  try {
    await way.begin(place, name);
    const chunks = hashed();
    const tar = readTar(chunks);
    for (let entry = await tar.next(); entry !== undefined; entry = await tar.next()) {
      await put(way, entry, tar, { user, room: assets.reserve.roomIn(directory) });
    }
    for await (const _ of chunks); // the rest counts for the hash
    if (hash.digest("hex") !== asset.sha256) {
      throw new AssetError("lost", `the contents of asset '${asset.id}' are not what they were`);
    }
  } finally {
    await way.end();
    source.destroy();
    await stored.close();
  }
}

interface PutOptions extends Pick<Unpacking, "user"> {
  readonly room: GrowingRoom;
}

async function put(way: WayDown, entry: TarEntry, tar: TarReader, { user, room }: PutOptions) {
  const parts = partsOf(entry.path);
  const name = parts.pop() ?? "";
  const place = await way.to(parts);
  const at = pathIn(place, name);
  switch (entry.kind) {
    case "directory":
      return await way.make(name);
    case "link":
      await symlink(entry.target, at);
      if (user !== undefined) await lchown(at, user.uid, user.gid);
      return;
    case "file": {
      const file = await open(at, "wx", 0o600);
      try {
        await writeWhole(file, tar.contents(), { maxBytes: entry.sizeBytes, room });
        await file.chmod(entry.isExecutable ? 0o755 : 0o644);
        if (user !== undefined) await file.chown(user.uid, user.gid);
      } finally {
        await file.close();
      }
    }
  }
}

/** The open directories down to where the last entry was put: the next one is near. Each was made by us just now. */
class WayDown {
  readonly #user: Unpacking["user"];
  readonly #open: OpenDirectory[] = [];
  readonly #parts: string[] = [];

  constructor(user: Unpacking["user"]) {
    this.#user = user;
  }

  async begin(place: OpenDirectory, name: string): Promise<void> {
    this.#open.push(await this.#makeIn(place, name));
  }

  /** Only where entries before said that there is a directory. */
  async to(parts: readonly string[]): Promise<OpenDirectory> {
    while (this.#parts.some((part, index) => part !== parts[index])) {
      this.#parts.pop();
      await this.#open.pop()?.handle.close();
    }
    for (const part of parts.slice(this.#parts.length)) {
      const { path } = this.#here();
      this.#open.push(await openDirectory(pathIn(this.#here(), part), join(path, part)));
      this.#parts.push(part);
    }
    return this.#here();
  }

  async make(name: string): Promise<void> {
    this.#open.push(await this.#makeIn(this.#here(), name));
    this.#parts.push(name);
  }

  async end(): Promise<void> {
    for (const { handle } of this.#open.splice(0)) await handle.close();
  }

  #here(): OpenDirectory {
    const last = this.#open.at(-1);
    if (last === undefined) throw new Error("the way has not begun");
    return last;
  }

  async #makeIn(place: OpenDirectory, name: string): Promise<OpenDirectory> {
    const at = pathIn(place, name);
    await mkdir(at, { mode: 0o755 });
    const made = await openDirectory(at, join(place.path, name));
    try {
      await made.handle.chmod(0o755); // whatever the umask is
      if (this.#user !== undefined) await made.handle.chown(this.#user.uid, this.#user.gid);
      return made;
    } catch (error) {
      await made.handle.close();
      throw error;
    }
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

// Whether Croft takes no more files on this host.
import type { Engine } from "../engine.ts";

/** The disk of the data directory, or that of the files where it is another one. */
export async function isDiskFull({
  config,
  assets,
}: Pick<Engine, "config" | "assets">): Promise<boolean> {
  const { path = config.data } = config.assets;
  for (const directory of new Set([config.data, path])) {
    const isFull = await assets.reserve.isTouchedIn(directory).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false; // made with the first file
      throw error;
    });
    if (isFull) return true;
  }
  return false;
}

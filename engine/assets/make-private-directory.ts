// Makes a directory that nobody else can look into, with those above it.
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";

const MODE = 0o700;

/** One after the other: told to make all of them, Node says 'ENOENT' where the disk is full. */
export async function makePrivateDirectory(path: string): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makePrivateDirectory(dirname(path));
    await make(path);
  }
}

async function make(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: MODE });
    await chmod(path, MODE); // the umask may have taken bits away
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

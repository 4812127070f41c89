// The file of encryption keys: one key a line in base64, the newest last.
import { constants } from "node:fs";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { stagingPlace } from "@croft/git";
import { syncDirectory } from "../data-directory/sync-directory.ts";
import { EngineError } from "../engine-error.ts";
import { type EncryptionKey, KEY_BYTES, keyOf } from "./cipher.ts";

const SIZE_BYTES_MAX = 64 * 1024;
const HEADER =
  "# Encryption keys of Croft's secrets, the newest last. Without them the secrets are lost: keep a copy elsewhere.\n";

/** Undefined when there is no such file. */
export async function readKeyFile(path: string): Promise<EncryptionKey[] | undefined> {
  let text: string;
  try {
    text = await readLittle(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unusable(path, message, error);
  }
  const lines = text.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "" && !line.startsWith("#")).map(parseKey);
  const isWhole = keys.every((key) => key !== undefined);
  if (!isWhole || keys.length === 0) {
    throw unusable(path, `each of its lines must be ${KEY_BYTES} bytes in base64`);
  }
  return keys;
}

/** Of several that make the first one at once, one wins. */
export async function createKeyFile(
  path: string,
  staging: string,
  keys: readonly EncryptionKey[],
): Promise<void> {
  await writeKeys(path, staging, keys, async (draft) => {
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  });
}

export async function replaceKeyFile(
  path: string,
  staging: string,
  keys: readonly EncryptionKey[],
): Promise<void> {
  await writeKeys(path, staging, keys, (draft) => rename(draft, path));
}

/** On disk before anything is encrypted with it: a power cut must not leave values without their key. */
async function writeKeys(
  path: string,
  staging: string,
  keys: readonly EncryptionKey[],
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = stagingPlace({ staging }, "key-file");
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      const lines = keys.map(({ bytes }) => `${bytes.toString("base64")}\n`);
      await file.writeFile(HEADER + lines.join(""));
      await file.sync();
    } finally {
      await file.close();
    }
    await put(draft);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw unusable(path, (error as Error).message, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function readLittle(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > SIZE_BYTES_MAX) throw new Error("it is too large for a file of keys");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Without its own line in the error: half a key is still a secret. */
function parseKey(line: string): EncryptionKey | undefined {
  const bytes = Buffer.from(line, "base64");
  const isExact = bytes.length === KEY_BYTES && bytes.toString("base64") === line;
  return isExact ? keyOf(bytes) : undefined;
}

function unusable(path: string, reason: string, cause?: unknown): EngineError {
  return new EngineError(
    "secret-key-unusable",
    `cannot use the file of encryption keys '${path}': ${reason}`,
    { cause },
  );
}

// The keys that this process has: of the file in the data directory, or of one that the operator keeps.
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { EngineError } from "../engine-error.ts";
import { type EncryptionKey, newKey } from "./cipher.ts";
import { createKeyFile, readKeyFile, replaceKeyFile } from "./key-file.ts";

export class KeyRing {
  readonly path: string;
  /** Ours to write. The operator's own file is only read: other hosts have copies of it. */
  readonly isManaged: boolean;
  readonly #staging: string;
  #known: readonly EncryptionKey[] = [];

  constructor({ secrets }: Pick<Config, "secrets">, directory: DataDirectory) {
    this.isManaged = secrets.keyFile === undefined;
    this.path = secrets.keyFile ?? join(directory.path, "keys", "secrets.keys");
    this.#staging = directory.staging;
  }

  /** All, oldest first, as the file has them now. */
  async read(): Promise<readonly EncryptionKey[]> {
    this.#known = (await readKeyFile(this.path)) ?? [];
    return this.#known;
  }

  /** The file is read again for a key that is not known: another process may have rotated. */
  async find(id: string): Promise<EncryptionKey | undefined> {
    const isIt = (key: EncryptionKey) => key.id === id;
    return this.#known.find(isIt) ?? (await this.read()).find(isIt);
  }

  async require(id: string): Promise<EncryptionKey> {
    const key = await this.find(id);
    if (key === undefined) throw this.missing([id]);
    return key;
  }

  /** The newest of the file. Where there is no file yet, and it is ours, one is made. */
  async provideNewest(): Promise<EncryptionKey> {
    const newest = (await this.read()).at(-1);
    if (newest !== undefined) return newest;
    if (!this.isManaged) {
      throw new EngineError(
        "secret-key-missing",
        `there is no file of encryption keys at '${this.path}' (secrets.keyFile): make one with 'openssl rand -base64 32', readable for Croft only`,
      );
    }
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await chmod(dirname(this.path), 0o700); // the umask may have taken bits away
    await createKeyFile(this.path, this.#staging, [newKey()]);
    return await this.provideNewest();
  }

  /** Only for a file that is ours, and by one process at a time. */
  async add(): Promise<EncryptionKey> {
    const key = newKey();
    await replaceKeyFile(this.path, this.#staging, [...(await this.read()), key]);
    await this.read();
    return key;
  }

  /** Only for a file that is ours, and by one process at a time. */
  async drop(ids: readonly string[]): Promise<void> {
    const keys = await this.read();
    const kept = keys.filter(({ id }) => !ids.includes(id));
    if (kept.length === keys.length || kept.length === 0) return;
    await replaceKeyFile(this.path, this.#staging, kept);
    await this.read();
  }

  missing(ids: readonly string[]): EngineError {
    const names = ids.map((id) => `'${id}'`).join(", ");
    return new EngineError(
      "secret-key-missing",
      `the database has values encrypted with the key ${names}, which is not in '${this.path}': copy that file from the host that has it, or name it with secrets.keyFile`,
      { details: { keys: ids } },
    );
  }
}

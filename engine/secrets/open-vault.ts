// The vault of one process; opens only where the keys of all that is stored are there.
import { KeyRing } from "./key-ring.ts";
import { requireKeys, type Vault } from "./vault.ts";

type VaultOptions = Pick<Vault, "database" | "log"> & {
  readonly config: ConstructorParameters<typeof KeyRing>[0];
  readonly directory: ConstructorParameters<typeof KeyRing>[1];
};

/** The database is closed if it does not: nobody else has it yet. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { database, log, config, directory } = options;
  const vault = { database, keys: new KeyRing(config, directory), log };
  try {
    await requireKeys(vault);
    return vault;
  } catch (error) {
    await database.close();
    throw error;
  }
}

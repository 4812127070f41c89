// A new app, with its first token and signing secret: both are told once.
import type { NewApp, OnboardedApp } from "@croft/contract";
import type { Engine } from "../engine.ts";
import { newId } from "../new-id.ts";
import { addSigningSecret } from "../secrets/signing-secret-store.ts";
import { withCurrentKey } from "../secrets/vault.ts";
import { addToken } from "./app-token.ts";
import { requireBaseUrl } from "./base-url.ts";
import { readApp } from "./read-apps.ts";
import { tellApp } from "./touch-app.ts";

export async function onboardApp(
  { database, vault, config }: Pick<Engine, "database" | "vault" | "config">,
  { name, base_url, email, description, delivery_slots }: NewApp,
): Promise<OnboardedApp> {
  const baseUrl = base_url == null ? null : await requireBaseUrl(base_url, config);
  const id = newId();
  const secrets = await withCurrentKey(vault, async (client, key) => {
    await client.query(
      `insert into croft.app (id, name, base_url, email, description, delivery_slots, seq)
       values ($1, $2, $3, $4, $5, $6, 1)`,
      [id, name, baseUrl, email, description, delivery_slots],
    );
    const { token } = await addToken(client, id);
    const { signing_secret } = await addSigningSecret(client, key, id);
    await tellApp(client, { id, seq: 1 }, "app.created", { name });
    return { token, signing_secret };
  });
  return { ...(await readApp(database, id)), ...secrets };
}

// How a watch reaches its remote: by its own app's credential, at a public address, and never by another's.
import { parseRemoteUrl, type RemoteAccess, type RemoteUrl } from "@croft/git";
import type { Engine } from "../engine.ts";
import { entranceBy } from "../secrets/credential-access.ts";
import { openCredential, openCredentialById } from "../secrets/credential-store.ts";
import type { WatchRow } from "./watch-rows.ts";

export type WatchParts = Pick<Engine, "database" | "vault" | "config" | "git" | "log" | "github">;

export function remoteOf({ config }: Pick<WatchParts, "config">, url: string): RemoteUrl {
  return parseRemoteUrl(url, { allowHttp: [...config.git.allowHttp, ...config.allowPrivate] });
}

export interface WatchAccess {
  readonly access: RemoteAccess;
  /** Which credential; two watches with the same one see the same. */
  readonly credentialId: string | undefined;
}

export async function accessOf(
  parts: Pick<WatchParts, "vault" | "config" | "github">,
  { app_id, credential_id, url }: Pick<WatchRow, "app_id" | "credential_id" | "url">,
): Promise<WatchAccess> {
  const { vault, config } = parts;
  const remote = remoteOf(parts, url);
  const owner = `app:${app_id}`;
  const found =
    credential_id === null
      ? await openCredential(vault, owner, remote)
      : await openCredentialById(vault, owner, { id: credential_id, remote });
  const way = { reach: { allowPrivate: config.allowPrivate }, caFile: config.git.caFile };
  const entrance = entranceBy(parts, owner, { remote, found });
  return { access: { ...way, ...entrance }, credentialId: found?.id };
}

// What an owner's credential means to git: a token or a key; and that nobody's ssh but the operator's own has the operator's keys.
import { type RemoteAccess, staticToken } from "@croft/git";
import type { Config } from "../config/config.ts";
import type { OpenCredential } from "./credential-store.ts";

/** Apps name remotes as they like: by ssh they come with their own key, or not at all. */
export function entranceBy(
  { git }: Pick<Config, "git">,
  owner: string,
  found: Pick<OpenCredential, "kind" | "username" | "value"> | undefined,
): Pick<RemoteAccess, "tokens" | "ssh"> {
  const knownHostsFile = git.knownHosts;
  if (found?.kind === "ssh-key") return { ssh: { key: found.value, knownHostsFile } };
  const tokens = found && staticToken({ username: found.username, password: found.value });
  return { tokens, ssh: owner === "local" ? undefined : { knownHostsFile } };
}

// A push is news of a watched repository: it is asked at once instead of at its next turn.
import type { Config } from "../config/config.ts";
import type { Queryable } from "../database/in-transaction.ts";
import { remoteOf } from "../watches/watch-access.ts";
import { type GithubEvent, objectOf, textOf } from "./github-event.ts";
import type { StartedEffect } from "./planned-work.ts";

export const WATCH_TRIGGER = "croft/watches";

/** In the transaction in which the event becomes handled; also for a repository's own webhook, which has no installation. */
export async function wakeWatches(
  client: Queryable,
  config: Config,
  { name, payload }: GithubEvent,
): Promise<StartedEffect[]> {
  if (name !== "push") return [];
  const repository = objectOf(payload["repository"]);
  const told = ["clone_url", "ssh_url", "html_url"].flatMap((member) => {
    const address = textOf(repository?.[member]);
    return address === undefined ? [] : canonical(address, config);
  });
  // As those names do not tell upper from lower case at GitHub, an address may be spelt otherwise than it is told.
  const addresses = [...new Set(told.map((address) => address.toLowerCase()))];
  const { rowCount } = await client.query(
    "update croft.repository set next_poll_at = croft.now() where lower(url) = any ($1)",
    [addresses],
  );
  if (rowCount === 0) return [];
  await client.query("select pg_notify('croft_watch', '')");
  return [{ trigger: WATCH_TRIGGER }];
}

/** As watches are kept. */
function canonical(address: string, config: Config): string[] {
  try {
    return [remoteOf({ config }, address).text];
  } catch {
    return []; // nobody can watch it
  }
}

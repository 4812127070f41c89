// How an installation of the App is, in one word, and which of them to look at first.
import type { GithubInstallation } from "@croft/contract";

/** `failing`: events of it were given up. `removed`: its account has taken the App off. */
export type InstallationState = "ok" | "failing" | "suspended" | "removed";

export function installationState(installation: GithubInstallation): InstallationState {
  const { deleted_at, suspended_at, failed } = installation;
  if (deleted_at !== null) return "removed";
  if (suspended_at !== null) return "suspended";
  return failed > 0 ? "failing" : "ok";
}

const order: Record<InstallationState, number> = { failing: 0, suspended: 1, ok: 2, removed: 3 };

/** What fails, then by their last event; what was removed is last. */
export function byUrgency(a: GithubInstallation, b: GithubInstallation): number {
  return (
    order[installationState(a)] - order[installationState(b)] ||
    (b.last_received_at ?? "").localeCompare(a.last_received_at ?? "") ||
    a.id - b.id
  );
}

/** What to call one: its account, else its number. */
export function installationName({ id, account }: Pick<GithubInstallation, "id" | "account">) {
  return account ?? `Installation ${id}`;
}

// Installations of the GitHub App as rows: whose, for how many repositories, and how their events go.
import type { GithubInstallation } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { formatCount } from "../format-count.ts";
import { installationName, installationState } from "../github/installation-state.ts";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export function InstallationTable({
  installations,
}: {
  installations: readonly GithubInstallation[];
}) {
  return (
    <div className={tableBox}>
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">Installations, those that fail first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-34`}>State</th>
            <th className={head}>Account</th>
            <th className={`${head} w-28 text-right max-md:hidden`}>Repositories</th>
            <th className={`${head} w-24 text-right max-md:hidden`}>Pending</th>
            <th className={`${head} w-24 text-right max-md:hidden`}>Failed</th>
            <th className={`${head} w-36 max-sm:hidden`}>Last event</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {installations.map((installation) => (
            <InstallationRow key={installation.id} installation={installation} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InstallationRow({ installation }: { installation: GithubInstallation }) {
  const { id, repositories, pending, failed } = installation;
  const number = `${cell} text-right tabular-nums max-md:hidden`;
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={installationState(installation)} />
        <span className="text-ink-faint text-xs sm:hidden">
          <LastEvent installation={installation} />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/github/installations/$id" params={{ id: String(id) }} className={rowLink}>
          <span className="block truncate font-medium text-ink">
            {installationName(installation)}
          </span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            {kindWords(installation) !== "" && <span>{kindWords(installation)}</span>}
            <span className="tabular-nums">{id}</span>
          </span>
          <span className="block text-ink-soft text-xs md:hidden">
            {formatCount(repositories)} {repositories === 1 ? "repository" : "repositories"}
            {pending > 0 && `, ${formatCount(pending)} pending`}
            {failed > 0 && <span className="text-bad">, {formatCount(failed)} failed</span>}
          </span>
        </Link>
      </td>
      <td className={number}>{formatCount(repositories)}</td>
      <td className={number}>{formatCount(pending)}</td>
      <td className={`${number} ${failed > 0 ? "text-bad" : ""}`}>{formatCount(failed)}</td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <LastEvent installation={installation} />
      </td>
    </tr>
  );
}

/** Whose it is, and for how much of theirs. */
export function kindWords({
  account_type,
  selection,
}: Pick<GithubInstallation, "account_type" | "selection">): string {
  const whose = { Organization: "organization", User: "person" }[account_type ?? ""];
  const which = { all: "all repositories", selected: "chosen repositories" }[selection ?? ""];
  return [whose, which].filter((words) => words !== undefined).join(", ");
}

function LastEvent({ installation: { last_received_at } }: { installation: GithubInstallation }) {
  if (last_received_at === null) return <span className="text-ink-faint">none kept</span>;
  return <RelativeTime time={last_received_at} isPast />;
}

// Apps as rows: where they are reached, how that goes, and what is still to be told.
import type { App } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { appState } from "../apps/app-state.ts";
import { formatCount } from "../format-count.ts";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface AppTableProps {
  apps: readonly App[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale: boolean;
}

export function AppTable({ apps, isStale }: AppTableProps) {
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">Apps, newest first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-32`}>State</th>
            <th className={head}>App</th>
            <th className={`${head} w-24 text-right max-md:hidden`}>Watches</th>
            <th className={`${head} w-28 text-right max-md:hidden`}>Undelivered</th>
            <th className={`${head} w-36 max-sm:hidden`}>Last seen</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {apps.map((app) => (
            <AppRow key={app.id} app={app} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AppRow({ app }: { app: App }) {
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={appState(app)} />
        <span className="text-ink-faint text-xs sm:hidden">
          <LastSeen app={app} />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/apps/$id" params={{ id: app.id }} search={{}} className={rowLink}>
          <span className="block truncate font-medium text-ink">{app.name}</span>
          <span className="block truncate text-ink-faint text-xs">
            {app.base_url ?? "asks only, and is told nothing"}
          </span>
          <span className="block text-ink-soft text-xs md:hidden">
            {formatCount(app.watches)} {app.watches === 1 ? "watch" : "watches"}
            {app.undelivered > 0 && `, ${upTo(app.undelivered)} undelivered`}
          </span>
        </Link>
      </td>
      <td className={`${cell} text-right tabular-nums max-md:hidden`}>
        {formatCount(app.watches)}
      </td>
      <td className={`${cell} text-right tabular-nums max-md:hidden`}>{upTo(app.undelivered)}</td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <LastSeen app={app} />
      </td>
    </tr>
  );
}

function LastSeen({ app: { last_seen_at } }: { app: App }) {
  if (last_seen_at === null) return <span className="text-ink-faint">never asked</span>;
  return <RelativeTime time={last_seen_at} isPast />;
}

/** The server counts no further than this. */
export function upTo(count: number): string {
  return count > 1_000 ? "over 1,000" : formatCount(count);
}

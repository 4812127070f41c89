// Watched repositories as rows: which one, for whom, how far its app was told.
import type { Watch } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { useAppNames } from "../apps/use-app-name.ts";
import { formatCount } from "../format-count.ts";
import { repositoryName } from "../repository-name.ts";
import { sentence } from "../sentence.ts";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface WatchTableProps {
  watches: readonly Watch[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale?: boolean;
  /** All are of one app, which is named elsewhere. */
  isOfOneApp?: boolean;
}

export function WatchTable({ watches, isStale = false, isOfOneApp = false }: WatchTableProps) {
  const nameOf = useAppNames();
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">Watched repositories, newest first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-32`}>State</th>
            <th className={head}>Repository</th>
            {!isOfOneApp && <th className={`${head} w-40 max-lg:hidden`}>App</th>}
            <th className={`${head} w-32 max-md:hidden`}>Commit</th>
            <th className={`${head} w-32 max-sm:hidden`}>Told</th>
            <th className={`${head} w-28 text-right max-md:hidden`}>Undelivered</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {watches.map((watch) => (
            <WatchRow
              key={watch.id}
              watch={watch}
              appName={isOfOneApp ? undefined : nameOf(watch.app)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WatchRow({ watch, appName }: { watch: Watch; appName: string | undefined }) {
  const { error, commit, undelivered } = watch;
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={watch.state} />
        <span className="text-ink-faint text-xs sm:hidden">
          <ToldAt watch={watch} />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/repositories/$id" params={{ id: watch.id }} search={{}} className={rowLink}>
          <span className="block truncate font-medium text-ink" title={watch.url}>
            {repositoryName(watch.url)}
          </span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            <span className="max-w-full truncate">{watch.ref ?? "default branch"}</span>
            {appName !== undefined && (
              <span className="max-w-full truncate lg:hidden">{appName}</span>
            )}
            {commit !== null && <span className="font-mono md:hidden">{shortCommit(commit)}</span>}
            {undelivered > 0 && (
              <span className="md:hidden">{formatCount(undelivered)} undelivered</span>
            )}
          </span>
          {error !== null && (
            <span className="line-clamp-2 break-words text-bad text-xs">
              {sentence(error.message)}
            </span>
          )}
        </Link>
      </td>
      {appName !== undefined && (
        <td className={`${cell} truncate max-lg:hidden`} title={appName}>
          {appName}
        </td>
      )}
      <td className={`${cell} font-mono text-xs leading-5 max-md:hidden`} title={commit ?? ""}>
        {commit === null ? (
          <span className="font-sans text-ink-faint">none yet</span>
        ) : (
          shortCommit(commit)
        )}
      </td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <ToldAt watch={watch} />
      </td>
      <td className={`${cell} text-right tabular-nums max-md:hidden`}>
        {formatCount(undelivered)}
      </td>
    </tr>
  );
}

function ToldAt({ watch: { told_at } }: { watch: Watch }) {
  if (told_at === null) return <span className="text-ink-faint">not yet</span>;
  return <RelativeTime time={told_at} isPast />;
}

export function shortCommit(commit: string): string {
  return commit.slice(0, 12);
}

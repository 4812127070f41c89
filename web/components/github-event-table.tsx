// Events of GitHub as rows: what happened, where, by whom, and what became of it.
import type { GithubEvent } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { eventAbout, eventName } from "../github/describe-event.ts";
import { useInstallationNames } from "../github/use-installation-names.ts";
import { shortId } from "../jobs/describe-job.ts";
import { sentence } from "../sentence.ts";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface GithubEventTableProps {
  /** What they have in common, for those who cannot see where the table stands. */
  caption: string;
  events: readonly GithubEvent[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale?: boolean;
  /** All are of one installation, which is named elsewhere. */
  isOfOne?: boolean;
}

export function GithubEventTable(props: GithubEventTableProps) {
  const { caption, events, isStale = false, isOfOne = false } = props;
  const nameOf = useInstallationNames();
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">{caption}</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-34`}>Status</th>
            <th className={head}>Event</th>
            <th className={`${head} w-64 max-lg:hidden`}>About</th>
            {!isOfOne && <th className={`${head} w-36 max-lg:hidden`}>Installation</th>}
            <th className={`${head} w-32 max-sm:hidden`}>Received</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {events.map((event) => (
            <EventRow
              key={event.id}
              event={event}
              whose={isOfOne ? undefined : whoseOf(event, nameOf)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Null: no installation's. */
function whoseOf({ installation }: GithubEvent, nameOf: (id: number) => string): string | null {
  return installation === null ? null : nameOf(installation);
}

interface EventRowProps {
  event: GithubEvent;
  /** Undefined: it is not shown. */
  whose: string | null | undefined;
}

function EventRow({ event, whose }: EventRowProps) {
  const about = eventAbout(event);
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={event.status} />
        <span className="text-ink-faint text-xs sm:hidden">
          <RelativeTime time={event.received_at} isPast />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/github/events/$id" params={{ id: event.id }} className={rowLink}>
          <span className="block truncate font-medium text-ink">{eventName(event)}</span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            {about !== null && <span className="max-w-full truncate lg:hidden">{about}</span>}
            {event.sender !== null && (
              <span className="max-w-full truncate">by {event.sender}</span>
            )}
            {whose !== undefined && whose !== null && (
              <span className="max-w-full truncate lg:hidden">{whose}</span>
            )}
            <span className="font-mono">{shortId(event.id)}</span>
            {event.replay > 0 && <span>replayed</span>}
          </span>
          {event.error !== null && (
            <span className="line-clamp-2 wrap-anywhere text-bad text-xs">
              {sentence(event.error.message)}
            </span>
          )}
        </Link>
      </td>
      <td className={`${cell} truncate max-lg:hidden`} title={about ?? ""}>
        {about ?? <span className="text-ink-faint">no repository</span>}
      </td>
      {whose !== undefined && (
        <td className={`${cell} truncate max-lg:hidden`} title={whose ?? ""}>
          {whose ?? <span className="text-ink-faint">none</span>}
        </td>
      )}
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <RelativeTime time={event.received_at} isPast />
      </td>
    </tr>
  );
}

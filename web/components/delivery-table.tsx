// Deliveries as rows: what they tell, to whom, and what was answered.
import type { Delivery } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { useAppNames } from "../apps/use-app-name.ts";
import { deliverySummary, outcomeWords } from "../deliveries/describe-delivery.ts";
import { shortId } from "../jobs/describe-job.ts";
import { repositoryName } from "../repository-name.ts";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface DeliveryTableProps {
  deliveries: readonly Delivery[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale?: boolean;
  /** All are of one app, which is named elsewhere. */
  isOfOneApp?: boolean;
  /** All are of one watch. */
  isOfOneWatch?: boolean;
}

export function DeliveryTable(props: DeliveryTableProps) {
  const { deliveries, isStale = false, isOfOneWatch = false, isOfOneApp = isOfOneWatch } = props;
  const nameOf = useAppNames();
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">Deliveries, newest first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-34`}>State</th>
            <th className={head}>Delivery</th>
            {!isOfOneWatch && <th className={`${head} w-44 max-lg:hidden`}>Repository</th>}
            {!isOfOneApp && <th className={`${head} w-36 max-lg:hidden`}>App</th>}
            <th className={`${head} w-36 max-md:hidden`}>Answer</th>
            <th className={`${head} w-32 max-sm:hidden`}>Created</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              appName={isOfOneApp ? undefined : nameOf(delivery.app)}
              showsRepository={!isOfOneWatch}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  appName: string | undefined;
  showsRepository: boolean;
}

function DeliveryRow({ delivery, appName, showsRepository }: DeliveryRowProps) {
  const repository = delivery.url === null ? undefined : repositoryName(delivery.url);
  const outcome = <Outcome delivery={delivery} />;
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={delivery.state} />
        <span className="text-ink-faint text-xs sm:hidden">
          <RelativeTime time={delivery.created_at} isPast />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/deliveries/$id" params={{ id: delivery.id }} className={rowLink}>
          <span className="block truncate font-medium text-ink">{deliverySummary(delivery)}</span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            <span>{delivery.type}</span>
            {delivery.replay_of !== null && <span>replay</span>}
            <span className="font-mono">{shortId(delivery.id)}</span>
            {showsRepository && repository !== undefined && (
              <span className="max-w-full truncate lg:hidden">{repository}</span>
            )}
            {appName !== undefined && (
              <span className="max-w-full truncate lg:hidden">{appName}</span>
            )}
            <span className="md:hidden">{outcome}</span>
          </span>
        </Link>
      </td>
      {showsRepository && (
        <td className={`${cell} truncate max-lg:hidden`} title={delivery.url ?? ""}>
          {repository ?? <span className="text-ink-faint">none</span>}
        </td>
      )}
      {appName !== undefined && (
        <td className={`${cell} truncate max-lg:hidden`} title={appName}>
          {appName}
        </td>
      )}
      <td className={`${cell} truncate text-ink-soft tabular-nums max-md:hidden`}>{outcome}</td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <RelativeTime time={delivery.created_at} isPast />
      </td>
    </tr>
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const isTrouble = delivery.attempt > 0 && delivery.error !== null;
  return <span className={isTrouble ? "text-bad" : ""}>{outcomeWords(delivery)}</span>;
}

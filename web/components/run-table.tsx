// Runs as rows: of which pipeline, on what, by whom, since when, for how long.
import type { Run } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { shortId } from "../jobs/describe-job.ts";
import { repositoryName } from "../repository-name.ts";
import { Elapsed } from "./elapsed.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface RunTableProps {
  runs: readonly Run[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale: boolean;
}

export function RunTable({ runs, isStale }: RunTableProps) {
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">Runs, newest first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-32`}>Status</th>
            <th className={head}>Run</th>
            <th className={`${head} max-lg:hidden`}>Repository</th>
            <th className={`${head} w-40 max-lg:hidden`}>Started by</th>
            <th className={`${head} w-32 max-sm:hidden`}>Created</th>
            <th className={`${head} w-32 max-sm:hidden`}>Took</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run }: { run: Run }) {
  const repository = repositoryName(run.repository);
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={run.status} isCancelling={isCancelling(run)} />
        <span className="text-ink-faint text-xs sm:hidden">
          <RelativeTime time={run.created_at} isPast />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/runs/$id" params={{ id: run.id }} search={{}} className={rowLink}>
          <span className="block truncate font-medium text-ink">
            {run.name} <span className="text-ink-soft tabular-nums">#{run.number}</span>
          </span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            <span className="max-w-full truncate lg:hidden">{repository}</span>
            {run.ref !== null && <span className="max-w-full truncate">{run.ref}</span>}
            {run.parent_id !== null && <span>inside of another run</span>}
            <span className="font-mono">{shortId(run.id)}</span>
            <span className="max-w-full truncate lg:hidden">{run.started_by}</span>
          </span>
        </Link>
      </td>
      <td className={`${cell} truncate max-lg:hidden`} title={run.repository}>
        {repository}
      </td>
      <td className={`${cell} truncate max-lg:hidden`} title={run.started_by}>
        {run.started_by}
      </td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <RelativeTime time={run.created_at} isPast />
      </td>
      <td className={`${cell} text-ink-soft tabular-nums max-sm:p-0! max-sm:text-xs`}>
        <Took run={run} />
      </td>
    </tr>
  );
}

export function isCancelling({ cancel_requested, finished_at }: Run): boolean {
  return cancel_requested && finished_at === null;
}

function Took({ run }: { run: Run }) {
  if (run.started_at === null) {
    const words = run.finished_at === null ? "waits for its turn" : "never started";
    return <span className="text-ink-faint">{words}</span>;
  }
  return (
    <>
      <Elapsed from={run.started_at} to={run.finished_at} />
      {run.attempt > 1 && <span className="text-ink-faint">, attempt {run.attempt}</span>}
    </>
  );
}

// Jobs as rows: what, whose, since when, for how long or why not.
import type { AnyJob } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { jobRepository, jobSummary, shortId, waitingWords } from "../jobs/describe-job.ts";
import { Elapsed } from "./elapsed.tsx";
import { JobProgressLine } from "./job-progress.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { cell, head, leadCell, row, rowLink, tableBox } from "./table-look.ts";

export interface JobTableProps {
  jobs: readonly AnyJob[];
  /** The rows are of another choice, until those asked for arrive. */
  isStale: boolean;
}

export function JobTable({ jobs, isStale }: JobTableProps) {
  return (
    <div className={`${tableBox} ${isStale ? "opacity-60" : ""}`}>
      <table className="w-full table-fixed text-sm" aria-busy={isStale}>
        <caption className="sr-only">Jobs, newest first</caption>
        <thead className="border-line border-b text-ink-faint text-xs max-sm:sr-only">
          <tr>
            <th className={`${head} w-32`}>Status</th>
            <th className={head}>Job</th>
            <th className={`${head} w-40 max-lg:hidden`}>Key</th>
            <th className={`${head} w-32 max-lg:hidden`}>Owner</th>
            <th className={`${head} w-32 max-sm:hidden`}>Created</th>
            <th className={`${head} w-36 max-sm:hidden`}>Took</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow({ job }: { job: AnyJob }) {
  return (
    <tr className={row}>
      <td className={leadCell}>
        <StatusBadge status={job.status} isCancelling={job.cancel_requested} />
        <span className="text-ink-faint text-xs sm:hidden">
          <RelativeTime time={job.created_at} />
        </span>
      </td>
      <td className={`${cell} max-sm:p-0!`}>
        <Link to="/jobs/$id" params={{ id: job.id }} className={rowLink}>
          <span className="block truncate font-mono text-ink text-xs leading-5">
            {jobSummary(job)}
          </span>
          <span className="flex flex-wrap gap-x-2 text-ink-faint text-xs">
            <span>{job.type}</span>
            {jobRepository(job) !== undefined && <span>{jobRepository(job)}</span>}
            <span className="font-mono">{shortId(job.id)}</span>
            <span className="truncate lg:hidden">{job.key}</span>
          </span>
          <JobProgressLine job={job} />
        </Link>
      </td>
      <td className={`${cell} truncate max-lg:hidden`} title={job.key ?? ""}>
        {job.key ?? <span className="text-ink-faint">none</span>}
      </td>
      <td className={`${cell} truncate max-lg:hidden`} title={job.owner}>
        {job.owner}
      </td>
      <td className={`${cell} text-ink-soft max-sm:hidden`}>
        <RelativeTime time={job.created_at} />
      </td>
      <td className={`${cell} text-ink-soft tabular-nums max-sm:p-0! max-sm:text-xs`}>
        <Took job={job} />
      </td>
    </tr>
  );
}

/** How long the last attempt ran, or why there was none yet. */
function Took({ job }: { job: AnyJob }) {
  if (job.status === "queued") {
    return <span className="text-ink-faint">waits {waitingWords(job)}</span>;
  }
  if (job.started_at === null) return <span className="text-ink-faint">never started</span>;
  return (
    <>
      <Elapsed from={job.started_at} to={job.finished_at} />
      {job.attempt > 1 && <span className="text-ink-faint">, attempt {job.attempt}</span>}
    </>
  );
}

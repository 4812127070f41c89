// How far a running job says that it is, with its own words.
import type { AnyJob } from "@croft/contract";
import { ProgressBar, percentOf } from "./progress-bar.tsx";

/** For the page of a job. */
export function JobProgress({ job }: { job: AnyJob }) {
  if (job.progress === null || job.status !== "running") return null;
  const { fraction, note } = job.progress;
  return (
    <div className="border-line border-t px-4 py-3 text-sm">
      <p className="mb-2 flex justify-between gap-4">
        <span className="min-w-0 break-words">{note ?? "Progress"}</span>
        {fraction !== null && <span className="tabular-nums">{percentOf(fraction)} %</span>}
      </p>
      <ProgressBar label="Progress of the job" share={fraction} />
    </div>
  );
}

/** For a row of a list. */
export function JobProgressLine({ job }: { job: AnyJob }) {
  if (job.progress === null || job.status !== "running") return null;
  const { fraction, note } = job.progress;
  return (
    <span className="mt-1 flex items-center gap-2 text-ink-soft text-xs">
      <span className="block w-24 shrink-0">
        <ProgressBar label="Progress" share={fraction} className="h-1" />
      </span>
      {fraction !== null && <span className="tabular-nums">{percentOf(fraction)} %</span>}
      <span className="min-w-0 truncate">{note}</span>
    </span>
  );
}

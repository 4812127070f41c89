// One job: what became of it, its log, its attempts, what went in and what came out.
import type { Event, Job } from "@croft/contract";
import { Link, useParams } from "@tanstack/react-router";
import { Braces, FileStack, History, ListRestart, PackageCheck } from "lucide-react";
import { AssetList } from "../components/asset-list.tsx";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CodeBlock } from "../components/code-block.tsx";
import { CodeText } from "../components/code-text.tsx";
import { factLink } from "../components/fact.tsx";
import { JobActions } from "../components/job-actions.tsx";
import { JobAttempts } from "../components/job-attempts.tsx";
import { JobFacts } from "../components/job-facts.tsx";
import { JobLogPanel } from "../components/job-log.tsx";
import { JobProgress } from "../components/job-progress.tsx";
import { JobTimeline } from "../components/job-timeline.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { jobSummary, shortId, waitingSentence } from "../jobs/describe-job.ts";
import { jobAttempts } from "../jobs/job-attempts.ts";
import { useJob } from "../jobs/use-job.ts";
import { sentence } from "../sentence.ts";

export function JobPage() {
  const { id } = useParams({ from: "/app/jobs/$id" });
  // Another job is another page: nothing of the last one's log stays.
  return <JobView key={id} id={id} />;
}

function JobView({ id }: { id: string }) {
  const { job: query, events } = useJob(id);
  const { data: job, error, isFetching, refetch } = query;
  if (job === undefined) {
    return <PendingPage title={`Job ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  return (
    <>
      <Breadcrumb link={{ to: "/jobs", search: {} }}>Jobs</Breadcrumb>
      <PageHeader title={`${job.type} ${shortId(job.id)}`}>
        <JobActions job={job} />
      </PageHeader>
      <div className="space-y-4">
        <div role="alert" className="empty:hidden">
          {error !== null && <ProblemNotice error={error} />}
        </div>
        <Summary job={job} />
        <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
          <div className="min-w-0 space-y-4">
            <AssetPanel job={job} />
            <JobLogPanel jobId={job.id} emptyWords={emptyLog(job)} />
            <DataPanels job={job} />
          </div>
          <div className="min-w-0 space-y-4 max-xl:grid max-xl:items-start max-xl:gap-4 max-xl:space-y-0 md:max-xl:grid-cols-2">
            <HistoryPanels job={job} events={events} />
          </div>
        </div>
      </div>
    </>
  );
}

function Summary({ job }: { job: Job }) {
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <div className="flex items-start gap-3">
          <StatusBadge status={job.status} isCancelling={job.cancel_requested} />
          <p className="line-clamp-3 min-w-0 break-words pt-0.5 font-mono text-sm">
            {jobSummary(job)}
          </p>
        </div>
        <JobFacts job={job} />
      </div>
      <JobProgress job={job} />
      {job.status === "queued" && (
        <div className="border-line border-t bg-sunken px-4 py-3 text-sm">
          <p className="font-medium">Why it waits</p>
          <p className="text-ink-soft">
            <CodeText>{waitingSentence(job)}</CodeText>{" "}
            {job.waiting_for === "time" && (
              <>
                It starts <RelativeTime time={job.run_at} /> at the earliest.
              </>
            )}
          </p>
        </div>
      )}
      {job.error !== null && <Failure job={job} />}
    </section>
  );
}

function Failure({ job }: { job: Job }) {
  if (job.error === null) return null;
  const { message, code } = job.error;
  const isOver = job.finished_at !== null;
  return (
    <Notice
      tone={isOver && job.status === "failed" ? "bad" : "warn"}
      title={sentence(message)}
      className="border-t"
    >
      <CodeText>{`\`${code}\``}</CodeText> {failureHint(job.error.class, isOver)}
    </Notice>
  );
}

function failureHint(failureClass: NonNullable<Job["error"]>["class"], isOver: boolean): string {
  const after = isOver ? "" : " It is tried again.";
  switch (failureClass) {
    case "command":
      return `The command itself failed; its last words are at the end of the log.${after}`;
    case "timeout":
      return `One attempt may not take longer.${after}`;
    case "lost":
      return `The worker was gone before the job had ended.${after}`;
    case "drained":
      return `The worker had to end before the job had.${after}`;
    case "invalid":
      return "Trying again would not help: the input has to change.";
    case "cancelled":
      return "";
    case "transient":
      return `Such a fault may pass by itself.${after}`;
  }
}

function HistoryPanels({ job, events }: { job: Job; events: readonly Event[] | undefined }) {
  const attempts = jobAttempts(events ?? []);
  return (
    <>
      <Panel title="Attempts" icon={ListRestart} aside={attemptsAllowed(job)}>
        <JobAttempts attempts={attempts} isKnown={events !== undefined} />
      </Panel>
      <Panel title="Timeline" icon={History}>
        <JobTimeline events={events} />
      </Panel>
    </>
  );
}

function attemptsAllowed({ attempts }: Job): string | undefined {
  return attempts === null ? undefined : `at most ${attempts}`;
}

/** Of a step, what it made stands with its run, too; it is no result of a job by itself. */
function AssetPanel({ job }: { job: Job }) {
  if (job.result_assets.length === 0) return null;
  return (
    <Panel
      title="Assets"
      icon={FileStack}
      aside={
        <Link to="/assets" search={{ job: job.id }} className={factLink}>
          {filesWords(job.result_assets.length)}
        </Link>
      }
    >
      <AssetList
        filter={{ job: job.id }}
        state={job.finished_at ?? ""}
        emptyWords="They are gone."
        look="cards"
      />
    </Panel>
  );
}

function filesWords(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

function DataPanels({ job }: { job: Job }) {
  return (
    <>
      <Panel title="Input" icon={Braces}>
        <CodeBlock label="Input as JSON">{JSON.stringify(job.input, undefined, 2)}</CodeBlock>
      </Panel>
      {job.result !== null && (
        <Panel title="Result" icon={PackageCheck}>
          <CodeBlock label="Result as JSON">{JSON.stringify(job.result, undefined, 2)}</CodeBlock>
        </Panel>
      )}
    </>
  );
}

function emptyLog({ status }: Job): string {
  if (status === "queued") return "The log begins when the job starts.";
  return status === "running" ? "It has written nothing yet." : "It wrote nothing.";
}

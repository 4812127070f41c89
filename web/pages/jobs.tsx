// All jobs, newest first, with filters in the address.
import type { Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowRight, ListChecks, ListFilter } from "lucide-react";
import { BulkActions } from "../components/bulk-actions.tsx";
import { BulkProgress } from "../components/bulk-progress.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { FirstJobHint } from "../components/first-job-hint.tsx";
import { JobFilters } from "../components/job-filters.tsx";
import { JobTable } from "../components/job-table.tsx";
import { ListSkeleton } from "../components/list-skeleton.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { hasFilter, type JobSearch } from "../jobs/job-search.ts";
import { jobsKey, jobsQuery } from "../jobs/jobs-query.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";

export function JobsPage() {
  const search = useSearch({ from: "/app/jobs" });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(
    jobsQuery(useApi(), search),
  );
  useLiveQueries(jobsKey, isOfJob);
  return (
    <>
      <PageHeader title="Jobs">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {data !== undefined && data.jobs.length > 0 && <BulkActions search={search} />}
        </div>
      </PageHeader>
      <JobFilters search={search} />
      {search.bulk !== undefined && <BulkProgress id={search.bulk} search={search} />}
      <div role="alert" className="mb-4 empty:hidden">
        {error !== null && data !== undefined && <ProblemNotice error={error} />}
      </div>
      {data === undefined && error !== null ? (
        <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <ListSkeleton />
      ) : data.jobs.length === 0 && !isPlaceholderData ? (
        <NoJobs search={search} />
      ) : (
        <>
          <JobTable jobs={data.jobs} isStale={isPlaceholderData} />
          <Pages search={search} next={data.next_cursor} />
        </>
      )}
    </>
  );
}

function isOfJob({ type }: Event): boolean {
  return type.startsWith("job.");
}

function NoJobs({ search }: { search: JobSearch }) {
  if (!hasFilter(search) && search.cursor === undefined) {
    return (
      <EmptyState icon={ListChecks} title="No job yet">
        <FirstJobHint />
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ListFilter} title="No job matches">
      <p>Nothing here has all of these properties. Jobs are kept for 90 days after their end.</p>
      <Link to="/jobs" search={{}} className="font-medium text-accent underline underline-offset-4">
        Show all jobs
      </Link>
    </EmptyState>
  );
}

function Pages({ search, next }: { search: JobSearch; next: string | null }) {
  if (search.cursor === undefined && next === null) return null;
  const look =
    "inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 font-medium text-sm shadow-card hover:bg-hover";
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-between">
      {search.cursor === undefined ? (
        <span />
      ) : (
        <Link to="/jobs" search={{ ...search, cursor: undefined }} className={look}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="/jobs" search={{ ...search, cursor: next }} className={look}>
          Older
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      )}
    </nav>
  );
}

// All jobs, newest first, with filters in the address.
import type { Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ListChecks, ListFilter, Plus } from "lucide-react";
import { BulkActions } from "../components/bulk-actions.tsx";
import { BulkProgress } from "../components/bulk-progress.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { FirstJobHint } from "../components/first-job-hint.tsx";
import { JobFilters } from "../components/job-filters.tsx";
import { JobTable } from "../components/job-table.tsx";
import { LinkButton } from "../components/link-button.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { hasFilter, type JobSearch } from "../jobs/job-search.ts";
import { jobsKey, jobsQuery } from "../jobs/jobs-query.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function JobsPage() {
  const search = useSearch({ from: "/app/jobs" });
  const query = useQuery(jobsQuery(useApi(), search));
  useLiveQueries(jobsKey, isOfJob);
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader title="Jobs">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {(query.data?.jobs.length ?? 0) > 0 && <BulkActions search={search} />}
          {mayChange && (
            <LinkButton link={{ to: "/jobs/new", search: {} }} look="primary" icon={Plus}>
              New job
            </LinkButton>
          )}
        </div>
      </PageHeader>
      <JobFilters search={search} />
      {search.bulk !== undefined && (
        <BulkProgress
          id={search.bulk}
          hideLink={{ to: "/jobs", search: { ...search, bulk: undefined } }}
        />
      )}
      <ListBody
        query={query}
        isEmpty={(data) => data.jobs.length === 0}
        empty={<NoJobs search={search} />}
      >
        {(data) => (
          <>
            <JobTable jobs={data.jobs} isStale={query.isPlaceholderData} />
            <PageLinks
              newest={
                search.cursor === undefined
                  ? undefined
                  : { to: "/jobs", search: { ...search, cursor: undefined } }
              }
              older={
                data.next_cursor === null
                  ? undefined
                  : { to: "/jobs", search: { ...search, cursor: data.next_cursor } }
              }
            />
          </>
        )}
      </ListBody>
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

// All runs of pipelines, newest first, with filters in the address.
import type { Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ArrowRight, ListFilter, Workflow } from "lucide-react";
import { EmptyState } from "../components/empty-state.tsx";
import { FirstRunHint } from "../components/first-run-hint.tsx";
import { ListSkeleton } from "../components/list-skeleton.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { RunFilters } from "../components/run-filters.tsx";
import { RunTable } from "../components/run-table.tsx";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { runsKey, runsQuery } from "../runs/run-query.ts";
import { hasFilter, type RunsSearch } from "../runs/run-search.ts";
import { useApi } from "../use-api.ts";

export function RunsPage() {
  const search = useSearch({ from: "/app/runs" });
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(
    runsQuery(useApi(), search),
  );
  useLiveQueries(runsKey, isOfRun);
  return (
    <>
      <PageHeader title="Runs">
        <LiveMark />
      </PageHeader>
      <RunFilters search={search} />
      <div role="alert" className="mb-4 empty:hidden">
        {error !== null && data !== undefined && <ProblemNotice error={error} />}
      </div>
      {data === undefined && error !== null ? (
        <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <ListSkeleton />
      ) : data.runs.length === 0 && !isPlaceholderData ? (
        <NoRuns search={search} />
      ) : (
        <>
          <RunTable runs={data.runs} isStale={isPlaceholderData} />
          <Pages search={search} next={data.next_cursor} />
        </>
      )}
    </>
  );
}

/** What happens to single steps changes nothing in a list of runs. */
function isOfRun({ type }: Event): boolean {
  return type.startsWith("run.") && type !== "run.step";
}

function NoRuns({ search }: { search: RunsSearch }) {
  if (!hasFilter(search) && search.cursor === undefined) {
    return (
      <EmptyState icon={Workflow} title="No run yet">
        <FirstRunHint />
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ListFilter} title="No run matches">
      <p>The name has to be the whole name of a pipeline.</p>
      <Link to="/runs" search={{}} className="font-medium text-accent underline underline-offset-4">
        Show all runs
      </Link>
    </EmptyState>
  );
}

function Pages({ search, next }: { search: RunsSearch; next: string | null }) {
  if (search.cursor === undefined && next === null) return null;
  const look =
    "inline-flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 font-medium text-sm shadow-card hover:bg-hover";
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center justify-between">
      {search.cursor === undefined ? (
        <span />
      ) : (
        <Link to="/runs" search={{ ...search, cursor: undefined }} className={look}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link to="/runs" search={{ ...search, cursor: next }} className={look}>
          Older
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      )}
    </nav>
  );
}

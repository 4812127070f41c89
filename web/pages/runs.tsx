// All runs of pipelines, newest first, with filters in the address.
import type { Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ListFilter, Workflow } from "lucide-react";
import { EmptyState } from "../components/empty-state.tsx";
import { FirstRunHint } from "../components/first-run-hint.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { RunFilters } from "../components/run-filters.tsx";
import { RunTable } from "../components/run-table.tsx";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { runsKey, runsQuery } from "../runs/run-query.ts";
import { hasFilter, type RunsSearch } from "../runs/run-search.ts";
import { useApi } from "../use-api.ts";

export function RunsPage() {
  const search = useSearch({ from: "/app/runs" });
  const query = useQuery(runsQuery(useApi(), search));
  useLiveQueries(runsKey, isOfRun);
  return (
    <>
      <PageHeader title="Runs">
        <LiveMark />
      </PageHeader>
      <RunFilters search={search} />
      <ListBody
        query={query}
        isEmpty={(data) => data.runs.length === 0}
        empty={<NoRuns search={search} />}
      >
        {(data) => (
          <>
            <RunTable runs={data.runs} isStale={query.isPlaceholderData} />
            <PageLinks
              newest={
                search.cursor === undefined
                  ? undefined
                  : { to: "/runs", search: { ...search, cursor: undefined } }
              }
              older={
                data.next_cursor === null
                  ? undefined
                  : { to: "/runs", search: { ...search, cursor: data.next_cursor } }
              }
            />
          </>
        )}
      </ListBody>
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

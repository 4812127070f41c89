// How far a bulk action has got, live, with the way to stop it.
import type { Bulk, Event } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { body } from "../api.ts";
import { formatCount } from "../format-count.ts";
import { bulkQuery } from "../jobs/bulk-query.ts";
import type { JobSearch } from "../jobs/job-search.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { Meter } from "./meter.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

export function BulkProgress({ id, search }: { id: string; search: JobSearch }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const query = useQuery(bulkQuery(api, id));
  const { queryKey } = bulkQuery(api, id);
  useLiveQueries(queryKey, isOfBulk);
  const abort = useMutation({
    mutationFn: () => body(api.POST("/api/bulk/{id}/abort", { params: { path: { id } } })),
    onSuccess: (bulk) => queryClient.setQueryData(queryKey, bulk),
  });
  const error = abort.error ?? query.error;
  const { data: bulk } = query;
  return (
    <section
      aria-label="Bulk action"
      className="mb-4 rounded-lg border border-line bg-surface p-4 shadow-card"
    >
      <div role="alert" className="empty:hidden">
        {error !== null && <ProblemNotice error={error} />}
      </div>
      {bulk !== undefined && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="min-w-48 flex-1">
            <p role="status" className="mb-1.5 text-sm tabular-nums">
              {describe(bulk)}
            </p>
            <Meter share={shareOf(bulk)} tone={bulk.status === "aborted" ? "warn" : "ok"} />
          </div>
          {bulk.status === "running" && (
            <Button busy={abort.isPending} onClick={() => abort.mutate()}>
              Stop
            </Button>
          )}
          <Link
            to="/jobs"
            search={{ ...search, bulk: undefined }}
            aria-label="Hide the bulk action"
            className="grid size-8 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
          >
            <X className="size-4" aria-hidden />
          </Link>
        </div>
      )}
    </section>
  );
}

function isOfBulk({ type }: Event): boolean {
  return type.startsWith("bulk.");
}

function shareOf({ total, done, skipped }: Bulk): number {
  return total === 0 ? 1 : (done + skipped) / total;
}

function describe({ action, status, total, done, skipped }: Bulk): string {
  const verbs = { cancel: ["Cancelling", "Cancelled"], retry: ["Retrying", "Retried"] } as const;
  const [doing, did] = verbs[action];
  const rest = skipped === 0 ? "" : `, ${formatCount(skipped)} left as they were`;
  const jobs = total === 1 ? "job" : "jobs";
  const counts = `${formatCount(done)} of ${formatCount(total)} ${jobs}${rest}`;
  if (status === "running") return `${doing}: ${counts}`;
  return status === "aborted" ? `Stopped. ${did} ${counts}` : `${did} ${counts}`;
}

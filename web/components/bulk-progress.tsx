// How far a bulk action has got, live, with the way to stop it.
import type { Bulk, Event } from "@croft/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { X } from "lucide-react";
import { body } from "../api.ts";
import { bulkQuery } from "../bulk-query.ts";
import { formatCount } from "../format-count.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { Meter } from "./meter.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

export interface BulkProgressProps {
  id: string;
  /** The same page without it. */
  hideLink: LinkProps;
}

export function BulkProgress({ id, hideLink }: BulkProgressProps) {
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
            {...hideLink}
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

const verbs = {
  cancel: { doing: "Cancelling", did: "Cancelled", one: "job", many: "jobs" },
  retry: { doing: "Retrying", did: "Retried", one: "job", many: "jobs" },
  replay: { doing: "Replaying", did: "Replayed", one: "delivery", many: "deliveries" },
  resync: { doing: "Re-syncing", did: "Re-sync asked of", one: "repository", many: "repositories" },
} as const;

function describe({ action, status, total, done, skipped }: Bulk): string {
  const { doing, did, one, many } = verbs[action];
  const rest = skipped === 0 ? "" : `, ${formatCount(skipped)} left as they were`;
  const counts = `${formatCount(done)} of ${formatCount(total)} ${total === 1 ? one : many}${rest}`;
  if (status === "running") return `${doing}: ${counts}`;
  return status === "aborted" ? `Stopped. ${did} ${counts}` : `${did} ${counts}`;
}

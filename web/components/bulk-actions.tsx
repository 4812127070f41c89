// Cancels or retries all jobs that the filters name; asks first, then shows how far it is.
import type { BulkRequest } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { definedOnly } from "../defined-only.ts";
import { bulkQuery } from "../jobs/bulk-query.ts";
import { filterOf, hasFilter, type JobSearch } from "../jobs/job-search.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Action = BulkRequest["action"];

const faces = {
  cancel: { icon: Ban, label: "Cancel all", of: [undefined, "queued", "running"] },
  retry: { icon: RotateCcw, label: "Retry all", of: [undefined, "failed", "cancelled"] },
} as const;

export function BulkActions({ search }: { search: JobSearch }) {
  const [asked, setAsked] = useState<Action>();
  const mayChange = useMayChange();
  // Without a filter it would be everything there is: whoever means that chooses a status first.
  if (!mayChange || !hasFilter(search)) return null;
  const actions = (["cancel", "retry"] as const).filter((action) =>
    faces[action].of.some((status) => status === search.status),
  );
  return (
    <>
      {actions.map((action) => {
        const { icon: Icon, label } = faces[action];
        return (
          <Button key={action} onClick={() => setAsked(action)}>
            <Icon className="size-4" aria-hidden />
            {label}
          </Button>
        );
      })}
      {asked !== undefined && (
        <BulkDialog action={asked} search={search} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface BulkDialogProps {
  action: Action;
  search: JobSearch;
  onClose: () => void;
}

function BulkDialog({ action, search, onClose }: BulkDialogProps) {
  const api = useApi();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const filter = definedOnly(filterOf(search));
  const start = useMutation({
    mutationFn: () => body(api.POST("/api/bulk", { body: { action, filter } })),
    onSuccess: async (bulk) => {
      queryClient.setQueryData(bulkQuery(api, bulk.id).queryKey, bulk);
      onClose();
      await navigate({ to: "/jobs", search: { ...search, bulk: bulk.id } });
    },
  });
  return (
    <ConfirmDialog
      title={action === "cancel" ? "Cancel all these jobs?" : "Retry all these jobs?"}
      confirmLabel={faces[action].label}
      dismissLabel="Not now"
      look={action === "cancel" ? "danger" : "primary"}
      busy={start.isPending}
      error={start.error}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <p>{explain(action, search)}</p>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        {Object.entries(filter).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name.replaceAll("_", " ")}</dt>
            <dd className="break-all text-ink">{value}</dd>
          </div>
        ))}
      </dl>
    </ConfirmDialog>
  );
}

function explain(action: Action, { status }: JobSearch): string {
  const pages = "All that match now are meant, on all pages.";
  if (action === "cancel") {
    return `${status === undefined ? "Those that wait or run are cancelled." : ""} ${pages}`.trim();
  }
  const which = status === undefined ? "Those that failed are" : "Each is";
  return `${which} submitted once more, as a new job with the same input. ${pages}`;
}

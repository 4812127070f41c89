// Cancels or retries all jobs that the filters name; asks first, then shows how far it is.
import { useNavigate } from "@tanstack/react-router";
import { Ban, RotateCcw } from "lucide-react";
import { useState } from "react";
import { definedOnly } from "../defined-only.ts";
import { filterOf, hasFilter, type JobSearch } from "../jobs/job-search.ts";
import { useMayChange } from "../use-may-change.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { Button } from "./button.tsx";

type Action = "cancel" | "retry";

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
        <JobsDialog action={asked} search={search} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface JobsDialogProps {
  action: Action;
  search: JobSearch;
  onClose: () => void;
}

function JobsDialog({ action, search, onClose }: JobsDialogProps) {
  const navigate = useNavigate();
  const filter = definedOnly(filterOf(search));
  return (
    <BulkDialog
      request={{ action, filter }}
      title={action === "cancel" ? "Cancel all these jobs?" : "Retry all these jobs?"}
      confirmLabel={faces[action].label}
      look={action === "cancel" ? "danger" : "primary"}
      onStarted={({ id }) => void navigate({ to: "/jobs", search: { ...search, bulk: id } })}
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
    </BulkDialog>
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

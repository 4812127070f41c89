// What became of a job, as a sign and a word; never by colour alone.
import type { JobStatus } from "@croft/contract";
import { Ban, Check, CircleDashed, LoaderCircle, X } from "lucide-react";

const faces = {
  queued: { icon: CircleDashed, look: "bg-sunken text-ink-soft", label: "Queued" },
  running: { icon: LoaderCircle, look: "bg-run-soft text-run", label: "Running" },
  done: { icon: Check, look: "bg-accent-soft text-accent", label: "Done" },
  failed: { icon: X, look: "bg-bad-soft text-bad", label: "Failed" },
  cancelled: { icon: Ban, look: "bg-sunken text-ink-soft", label: "Cancelled" },
} as const;

export interface StatusBadgeProps {
  status: JobStatus;
  /** It runs, but was asked to stop. */
  isCancelling?: boolean;
}

export function StatusBadge({ status, isCancelling = false }: StatusBadgeProps) {
  const { icon: Icon, look, label } = faces[status];
  return (
    <span
      className={`inline-flex h-6 items-center gap-1.5 rounded-md pr-2 pl-1.5 font-medium text-xs whitespace-nowrap ${look}`}
    >
      <Icon
        className={`size-3.5 ${status === "running" ? "motion-safe:animate-spin" : ""}`}
        aria-hidden
      />
      {isCancelling ? "Cancelling" : label}
    </span>
  );
}

export function statusLabel(status: JobStatus): string {
  return faces[status].label;
}

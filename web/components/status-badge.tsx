// What became of a job, a run or a step, as a sign and a word; never by colour alone.
import type { JobStatus, RunStatus, RunStep } from "@croft/contract";
import {
  Ban,
  Check,
  Circle,
  CircleDashed,
  CirclePause,
  LoaderCircle,
  SkipForward,
  X,
} from "lucide-react";

export type AnyStatus = JobStatus | RunStatus | RunStep["status"];

const quiet = { look: "bg-sunken text-ink-soft", mark: "text-ink-faint" } as const;
const faces = {
  pending: { icon: Circle, ...quiet, label: "Pending" },
  queued: { icon: CircleDashed, ...quiet, label: "Queued" },
  running: {
    ...{ icon: LoaderCircle, look: "bg-run-soft text-run", mark: "text-run" },
    label: "Running",
  },
  waiting: {
    ...{ icon: CirclePause, look: "bg-warn-soft text-warn", mark: "text-warn" },
    label: "Waiting",
  },
  done: { icon: Check, look: "bg-accent-soft text-accent", mark: "text-accent", label: "Done" },
  failed: { icon: X, look: "bg-bad-soft text-bad", mark: "text-bad", label: "Failed" },
  skipped: { icon: SkipForward, ...quiet, label: "Skipped" },
  cancelled: { icon: Ban, ...quiet, label: "Cancelled" },
} as const;

export interface StatusBadgeProps {
  status: AnyStatus;
  /** It runs, but was asked to stop. */
  isCancelling?: boolean;
}

export function StatusBadge({ status, isCancelling = false }: StatusBadgeProps) {
  const { icon: Icon, look, label } = faces[status];
  return (
    <span
      className={`inline-flex h-6 shrink-0 items-center gap-1.5 rounded-md pr-2 pl-1.5 font-medium text-xs whitespace-nowrap ${look}`}
    >
      <Icon
        className={`size-3.5 ${status === "running" ? "motion-safe:animate-spin" : ""}`}
        aria-hidden
      />
      {isCancelling ? "Cancelling" : label}
    </span>
  );
}

/** Where there is no room for the word; a screen reader hears it. */
export function StatusMark({ status }: { status: AnyStatus }) {
  const { icon: Icon, mark, label } = faces[status];
  return (
    <span title={label} className={`inline-flex shrink-0 ${mark}`}>
      <Icon
        className={`size-4 ${status === "running" ? "motion-safe:animate-spin" : ""}`}
        aria-hidden
      />
      <span className="sr-only">{label}</span>
    </span>
  );
}

export function statusLabel(status: AnyStatus): string {
  return faces[status].label;
}

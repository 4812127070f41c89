// How a thing is or what became of it, as a sign and a word; never by colour alone.
import type {
  DeliveryState,
  GithubEventStatus,
  JobStatus,
  RunStatus,
  RunStep,
  Watch,
} from "@croft/contract";
import {
  Ban,
  Check,
  Circle,
  CircleDashed,
  CirclePause,
  CircleSlash,
  LoaderCircle,
  type LucideIcon,
  Shield,
  SkipForward,
  Split,
  TriangleAlert,
  Unplug,
  X,
} from "lucide-react";
import type { AppState } from "../apps/app-state.ts";
import type { InstallationState } from "../github/installation-state.ts";

export type AnyStatus =
  | JobStatus
  | RunStatus
  | RunStep["status"]
  | DeliveryState
  | Watch["state"]
  | AppState
  | GithubEventStatus
  | InstallationState;

interface Face {
  icon: LucideIcon;
  look: string;
  mark: string;
  label: string;
}

const quiet = { look: "bg-sunken text-ink-soft", mark: "text-ink-faint" } as const;
const good = { look: "bg-accent-soft text-accent", mark: "text-accent" } as const;
const bad = { look: "bg-bad-soft text-bad", mark: "text-bad" } as const;
const held = { look: "bg-warn-soft text-warn", mark: "text-warn" } as const;
const busy = { icon: LoaderCircle, look: "bg-run-soft text-run", mark: "text-run" } as const;
const faces: Record<AnyStatus, Face> = {
  pending: { icon: Circle, ...quiet, label: "Pending" },
  queued: { icon: CircleDashed, ...quiet, label: "Queued" },
  running: { ...busy, label: "Running" },
  waiting: { icon: CirclePause, ...held, label: "Waiting" },
  done: { icon: Check, ...good, label: "Done" },
  failed: { icon: X, ...bad, label: "Failed" },
  skipped: { icon: SkipForward, ...quiet, label: "Skipped" },
  cancelled: { icon: Ban, ...quiet, label: "Cancelled" },
  sending: { ...busy, label: "Sending" },
  delivered: { icon: Check, ...good, label: "Delivered" },
  quarantined: { icon: Shield, ...held, label: "Quarantined" },
  split: { icon: Split, ...quiet, label: "Split" },
  synced: { icon: Check, ...good, label: "Synced" },
  failing: { icon: TriangleAlert, ...bad, label: "Failing" },
  ok: { icon: Check, ...good, label: "OK" },
  unreached: { icon: CircleSlash, ...quiet, label: "No address" },
  paused: { icon: CirclePause, ...held, label: "Paused" },
  gone: { icon: Unplug, ...bad, label: "Gone" },
  handled: { icon: Check, ...good, label: "Handled" },
  ignored: { icon: CircleSlash, ...quiet, label: "Ignored" },
  suspended: { icon: CirclePause, ...held, label: "Suspended" },
  removed: { icon: Unplug, ...quiet, label: "Removed" },
};

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
        className={`size-3.5 ${Icon === LoaderCircle ? "motion-safe:animate-spin" : ""}`}
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
        className={`size-4 ${Icon === LoaderCircle ? "motion-safe:animate-spin" : ""}`}
        aria-hidden
      />
      <span className="sr-only">{label}</span>
    </span>
  );
}

export function statusLabel(status: AnyStatus): string {
  return faces[status].label;
}

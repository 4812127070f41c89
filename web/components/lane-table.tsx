// Lanes as rows: how much runs and waits, and what to do about it.
import type { Lane, QueueState } from "@croft/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, Pause, Play, Rows3, X } from "lucide-react";
import { useState } from "react";
import { body } from "../api.ts";
import { formatCount } from "../format-count.ts";
import { type LaneSearch, queueKey } from "../queue/queue-query.ts";
import { type LaneState, laneState } from "../queue/why-waiting.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";
import { Button } from "./button.tsx";
import { LaneLimitDialog } from "./lane-limit-dialog.tsx";
import { Panel } from "./panel.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface LaneTableProps {
  /** Undefined while they are being fetched. */
  lanes: readonly Lane[] | undefined;
  next: string | null;
  queue: QueueState | undefined;
  search: LaneSearch;
}

export function LaneTable({ lanes, next, queue, search }: LaneTableProps) {
  const [asked, setAsked] = useState<Lane>();
  const mayChange = useMayChange();
  return (
    <Panel title="Lanes" icon={Rows3} aside={<OwnerChip search={search} />}>
      <ul aria-label="Lanes" className="-my-4 divide-y divide-line">
        {lanes === undefined ? (
          <li className="py-4">
            <Skeleton className="h-8 w-full" />
          </li>
        ) : (
          lanes.map((lane) => (
            <LaneRow
              key={lane.id}
              lane={lane}
              state={laneState(lane, queue)}
              onSetLimit={mayChange ? () => setAsked(lane) : undefined}
            />
          ))
        )}
      </ul>
      <Pages search={search} next={next} />
      {asked !== undefined && <LaneLimitDialog lane={asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  );
}

function OwnerChip({ search }: { search: LaneSearch }) {
  if (search.owner === undefined) return "the fullest first";
  return (
    <Link
      to="/queue"
      search={{}}
      aria-label={`Only ${search.owner}: show all lanes`}
      className="inline-flex h-6 max-w-48 items-center gap-1 rounded-md bg-accent-soft px-2 text-accent hover:underline"
    >
      <span className="truncate">{search.owner}</span>
      <X className="size-3 shrink-0" aria-hidden />
    </Link>
  );
}

const faces: Record<LaneState, { words: string; look: string }> = {
  idle: { words: "Idle", look: "text-ink-faint" },
  running: { words: "Running", look: "text-run" },
  paused: { words: "Paused", look: "text-warn" },
  full: { words: "Full: waits for its own jobs", look: "text-ink-soft" },
  owner: { words: "Waits for its owner's limit", look: "text-ink-soft" },
  global: { words: "Waits for the limit of all", look: "text-ink-soft" },
  worker: { words: "Waits for a worker", look: "text-ink-soft" },
};

interface LaneRowProps {
  lane: Lane;
  state: LaneState;
  /** Undefined for those who may only look. */
  onSetLimit: (() => void) | undefined;
}

function LaneRow({ lane, state, onSetLimit }: LaneRowProps) {
  const { words, look } = faces[state];
  const name = lane.key ?? "without a key";
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-2 py-3 text-sm md:grid-cols-[minmax(0,1fr)_7rem_6rem_auto]">
      <div className="min-w-0">
        <Link
          to="/jobs"
          search={{ owner: lane.owner, key: lane.key ?? undefined }}
          className={`block truncate underline decoration-line-strong underline-offset-4 hover:decoration-current ${lane.key === null ? "" : "font-medium"}`}
        >
          {name}
        </Link>
        <p className="flex flex-wrap gap-x-2 text-xs">
          <span className="truncate text-ink-faint">{lane.owner}</span>
          <span className={look}>{words}</span>
        </p>
      </div>
      <p className="whitespace-nowrap text-right tabular-nums max-md:text-xs">
        {formatCount(lane.running)}
        <span className="text-ink-faint">
          {lane.limit === null ? " run" : ` of ${formatCount(lane.limit)} run`}
        </span>
      </p>
      <p className="text-right tabular-nums max-md:hidden">
        {formatCount(lane.queued)} <span className="text-ink-faint">waiting</span>
      </p>
      {onSetLimit !== undefined && (
        <div className="flex items-center gap-2 max-md:col-span-2">
          <PauseButton lane={lane} name={name} />
          <Button
            className="h-8 px-3"
            onClick={onSetLimit}
            disabled={lane.key === null}
            aria-label={`Set the limit of ${name}`}
            title={lane.key === null ? "Jobs without a key have no limit of their own" : undefined}
          >
            Limit
          </Button>
          <span className="ml-auto text-xs tabular-nums md:hidden">
            {formatCount(lane.queued)} <span className="text-ink-faint">waiting</span>
          </span>
        </div>
      )}
    </li>
  );
}

function PauseButton({ lane, name }: { lane: Lane; name: string }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      body(
        api.PATCH("/admin/api/lanes/{id}", {
          params: { path: { id: lane.id } },
          body: { paused: !lane.paused },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queueKey }),
  });
  const Icon = lane.paused ? Play : Pause;
  const verb = lane.paused ? "Resume" : "Pause";
  return (
    <>
      <Button
        className="h-8 w-26 px-3"
        busy={change.isPending}
        onClick={() => change.mutate()}
        aria-label={`${verb} ${name}`}
      >
        {!change.isPending && <Icon className="size-3.5" aria-hidden />}
        {verb}
      </Button>
      <div role="alert" className="empty:hidden">
        {change.isError && <ProblemNotice error={change.error} />}
      </div>
    </>
  );
}

function Pages({ search, next }: { search: LaneSearch; next: string | null }) {
  if (next === null && search.cursor === undefined) return null;
  const look = "inline-flex items-center gap-1.5 font-medium text-accent hover:underline";
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between border-line border-t pt-3 text-sm">
      {search.cursor === undefined ? (
        <span />
      ) : (
        <Link to="/queue" search={{ owner: search.owner }} className={look}>
          First
        </Link>
      )}
      {next !== null && (
        <Link to="/queue" search={{ ...search, cursor: next }} className={look}>
          More lanes
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      )}
    </nav>
  );
}

// What runs, what waits and why; lanes with their limits.
import type { Event, QueueState } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { Hourglass, Rows3, Users } from "lucide-react";
import { CodeText } from "../components/code-text.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LaneTable } from "../components/lane-table.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Meter } from "../components/meter.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { Stat } from "../components/stat.tsx";
import { formatCount } from "../format-count.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { type LaneSearch, lanesQuery, queueKey, queueQuery } from "../queue/queue-query.ts";
import { type WaitingReason, waitingReasons } from "../queue/why-waiting.ts";
import { useApi } from "../use-api.ts";

export function QueuePage() {
  const api = useApi();
  const search = useSearch({ from: "/app/queue" });
  const queue = useQuery(queueQuery(api));
  const lanes = useQuery(lanesQuery(api, search));
  useLiveQueries(queueKey, isOfQueue);
  const error = queue.error ?? lanes.error;
  const retry = () => void Promise.all([queue.refetch(), lanes.refetch()]);
  return (
    <>
      <PageHeader title="Queue">
        <LiveMark />
      </PageHeader>
      {error !== null && queue.data === undefined ? (
        <ProblemView error={error} busy={queue.isFetching} onRetry={retry} />
      ) : (
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          <Numbers queue={queue.data} />
          <Reasons reasons={queue.data && waitingReasons(queue.data, lanes.data?.lanes ?? [])} />
          <Owners queue={queue.data} />
          {lanes.data?.lanes.length === 0 && search.cursor === undefined ? (
            <NoLanes search={search} />
          ) : (
            <LaneTable
              lanes={lanes.data?.lanes}
              next={lanes.data?.next_cursor ?? null}
              queue={queue.data}
              search={search}
            />
          )}
        </div>
      )}
    </>
  );
}

function isOfQueue({ type }: Event): boolean {
  return /^(job\.(?!progress)|lane\.|worker\.)/.test(type);
}

function Numbers({ queue }: { queue: QueueState | undefined }) {
  const room = queue && Math.min(queue.slots, queue.limit ?? queue.slots);
  return (
    <section aria-label="Numbers">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-surface shadow-card lg:grid-cols-4 [&>*]:border-line [&>*:nth-child(even)]:border-l [&>*:nth-child(n+3)]:border-t lg:[&>*:nth-child(3)]:border-l lg:[&>*:nth-child(n+3)]:border-t-0">
        <Stat
          label="Running"
          value={queue && formatCount(queue.running)}
          note={room === undefined ? undefined : `of ${formatCount(room)} at a time`}
        />
        <Stat
          label="Waiting"
          value={queue && formatCount(queue.queued)}
          note={queue && (queue.queued === 0 ? "nothing is in line" : "due, and in line")}
        />
        <Stat label="Delayed" value={queue && formatCount(queue.delayed)} note="not due yet" />
        <Stat
          label="Slots"
          value={queue && formatCount(queue.slots)}
          note={queue && (queue.slots === 0 ? "no worker is alive" : "of all live workers")}
          tone={queue?.slots === 0 ? "warn" : "plain"}
        />
      </dl>
    </section>
  );
}

const dots = { plain: "bg-line-strong", warn: "bg-warn-mark", bad: "bg-bad-mark" } as const;

function Reasons({ reasons = [] }: { reasons: readonly WaitingReason[] | undefined }) {
  if (reasons.length === 0) return null;
  return (
    <Panel title="Why things wait" icon={Hourglass}>
      <ul className="space-y-1.5 text-sm">
        {reasons.map(({ subject, tone, words }) => (
          <li key={subject} className="flex gap-3">
            <span aria-hidden className={`mt-1.5 size-2 shrink-0 rounded-full ${dots[tone]}`} />
            <span className="min-w-0 break-words">
              <CodeText>{words}</CodeText>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Owners({ queue }: { queue: QueueState | undefined }) {
  if (queue === undefined || queue.owners.length === 0) return null;
  return (
    <Panel title="By owner" icon={Users}>
      <ul className="-my-3 divide-y divide-line text-sm">
        {queue.owners.map(({ owner, running, limit, queued, lanes }) => (
          <li
            key={owner}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-3 sm:grid-cols-[minmax(0,1fr)_10rem_7rem_7rem]"
          >
            <Link
              to="/queue"
              search={{ owner }}
              className="truncate font-medium underline decoration-line-strong underline-offset-4 hover:decoration-current"
            >
              {owner}
            </Link>
            <div className="max-sm:order-last max-sm:col-span-2">
              <p className="mb-1 text-ink-soft text-xs tabular-nums">
                {formatCount(running)} of {formatCount(limit)} run
              </p>
              <Meter share={running / limit} tone={running >= limit ? "warn" : "ok"} />
            </div>
            <p className="text-right tabular-nums">
              {formatCount(queued)} <span className="text-ink-faint">waiting</span>
            </p>
            <p className="text-right tabular-nums max-sm:hidden">
              {formatCount(lanes)}{" "}
              <span className="text-ink-faint">{lanes === 1 ? "lane" : "lanes"}</span>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NoLanes({ search }: { search: LaneSearch }) {
  return (
    <EmptyState
      icon={Rows3}
      title={search.owner === undefined ? "No lane yet" : "No lane of this owner"}
    >
      <p className="max-w-lg">
        <CodeText>
          {
            'Jobs with the same `key` share a lane, and a lane runs as many at a time as its limit says: submit a job with `"key": "deploy"`, and its lane is here. Lanes that are idle for an hour go by themselves.'
          }
        </CodeText>
      </p>
      {search.owner !== undefined && (
        <Link
          to="/queue"
          search={{}}
          className="font-medium text-accent underline underline-offset-4"
        >
          Show all lanes
        </Link>
      )}
    </EmptyState>
  );
}

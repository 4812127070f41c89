// The processes that run jobs: those that live, and those that ended today.
import type { Event, Worker } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Cpu, History } from "lucide-react";
import type { ReactNode } from "react";
import { CodeText } from "../components/code-text.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Meter } from "../components/meter.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { formatCount } from "../format-count.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { workersKey, workersQuery } from "../queue/queue-query.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";

export function WorkersPage() {
  const { data, error, isFetching, refetch } = useQuery(workersQuery(useApi()));
  useLiveQueries(workersKey, isOfWorker);
  const live = data?.workers.filter(({ state }) => state !== "ended");
  const ended = data?.workers.filter(({ state }) => state === "ended") ?? [];
  return (
    <>
      <PageHeader title="Workers">
        <LiveMark />
      </PageHeader>
      {error !== null && data === undefined ? (
        <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          {live === undefined ? (
            <Skeleton className="h-40 w-full" />
          ) : live.length === 0 ? (
            <NoWorkers />
          ) : (
            <ul aria-label="Live workers" className="grid gap-4 lg:grid-cols-2">
              {live.map((worker) => (
                <LiveWorker key={worker.id} worker={worker} />
              ))}
            </ul>
          )}
          {ended.length > 0 && <EndedWorkers workers={ended} />}
        </div>
      )}
    </>
  );
}

function isOfWorker({ type }: Event): boolean {
  return /^(job\.(?!progress|queued)|worker\.)/.test(type);
}

function NoWorkers() {
  return (
    <EmptyState icon={Cpu} title="No worker is alive">
      <p className="max-w-lg">
        <CodeText>
          {
            "Jobs are taken in and wait. `croft serve` runs a worker in its own process; look into its log if it does not."
          }
        </CodeText>
      </p>
    </EmptyState>
  );
}

const states = {
  live: { words: "Live", dot: "bg-ok" },
  draining: { words: "Draining: takes no new jobs", dot: "bg-warn-mark" },
  silent: { words: "Silent: its jobs go to others", dot: "bg-bad-mark" },
  ended: { words: "Ended", dot: "bg-line-strong" },
} as const;

function LiveWorker({ worker }: { worker: Worker }) {
  const { host, pid, state, running, slots, types, version, started_at, id } = worker;
  const { words, dot } = states[state];
  return (
    <li className="rounded-lg border border-line bg-surface p-4 shadow-card">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h2 className="truncate font-medium">{host}</h2>
          <p className="flex items-center gap-2 text-ink-soft text-sm">
            <span aria-hidden className={`size-2 shrink-0 rounded-full ${dot}`} />
            {words}
          </p>
        </div>
        <p className="text-right text-sm tabular-nums">
          <span className="font-semibold text-xl">{formatCount(running)}</span>{" "}
          <span className="text-ink-faint">of {formatCount(slots)} slots</span>
        </p>
      </div>
      <div className="mt-3">
        <Meter share={running / slots} tone="ok" />
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 text-sm sm:grid-cols-4">
        <Detail name="Started">
          <RelativeTime time={started_at} />
        </Detail>
        <Detail name="Process">{pid}</Detail>
        <Detail name="Croft">{version}</Detail>
        <Detail name="Id">
          <span className="font-mono text-xs" title={id}>
            {shortId(id)}
          </span>
        </Detail>
      </dl>
      <div className="mt-3">
        <h3 className="text-ink-faint text-xs">Job types</h3>
        <p className="mt-1 flex flex-wrap gap-1.5">
          {types.map((type) => (
            <code key={type} className="rounded-sm bg-sunken px-1.5 font-mono text-xs leading-5">
              {type}
            </code>
          ))}
        </p>
      </div>
    </li>
  );
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-faint text-xs">{name}</dt>
      <dd className="truncate tabular-nums">{children}</dd>
    </div>
  );
}

function EndedWorkers({ workers }: { workers: readonly Worker[] }) {
  return (
    <Panel title="Ended within a day" icon={History}>
      <ul className="-my-3 divide-y divide-line text-sm">
        {workers.map(({ id, host, pid, ended_at, end_reason }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-3">
            <span className="font-medium">{host}</span>
            <span className="text-ink-faint text-xs tabular-nums">process {pid}</span>
            <span className="min-w-0 break-words text-ink-soft">
              {end_reason !== null && sentence(end_reason)}
            </span>
            <span className="ml-auto text-ink-faint text-xs">
              {ended_at !== null && <RelativeTime time={ended_at} />}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

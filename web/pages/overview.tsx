// The first page: is this installation well, and if not, what is the matter.
import type { Overview } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Database, HardDrive, RotateCw, Users } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../components/button.tsx";
import { CodeText } from "../components/code-text.tsx";
import { FactList } from "../components/fact-list.tsx";
import { Meter } from "../components/meter.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { Stat } from "../components/stat.tsx";
import { formatBytes, splitBytes } from "../format-bytes.ts";
import { formatCount } from "../format-count.ts";
import { formatDuration, formatMilliseconds } from "../format-duration.ts";
import { formatPercent } from "../format-percent.ts";
import { formatClock } from "../format-time.ts";
import { type Finding, limits, overviewFindings } from "../overview-findings.ts";
import { overviewQuery } from "../overview-query.ts";
import { sessionQuery } from "../session-query.ts";
import { useApi } from "../use-api.ts";
import { useNow } from "../use-now.ts";

export function OverviewPage() {
  const query = useQuery(overviewQuery(useApi()));
  const { data: overview, error, isFetching, dataUpdatedAt } = query;
  const refresh = () => void query.refetch();
  const findings = overview === undefined ? [] : overviewFindings(overview);
  const fetchedAt = new Date(dataUpdatedAt);
  return (
    <>
      <PageHeader title="Overview">
        <div className="flex items-center gap-3">
          {overview !== undefined && (
            <p role="status" className="text-ink-faint text-sm tabular-nums">
              As of {formatClock(fetchedAt)}
            </p>
          )}
          <Button onClick={refresh} busy={isFetching}>
            {!isFetching && <RotateCw className="size-4" aria-hidden />}
            Refresh
          </Button>
        </div>
      </PageHeader>
      {error !== null && overview === undefined ? (
        <ProblemView error={error} busy={isFetching} onRetry={refresh} />
      ) : (
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          <Status {...{ overview, findings, fetchedAt, stale: error !== null }} />
          <Numbers overview={overview} findings={findings} />
          <div className="grid gap-4 lg:grid-cols-3">
            <DatabasePanel database={overview?.database} />
            <DiskPanel disk={overview?.disk} findings={findings} />
            <AccessPanel overview={overview} />
          </div>
        </div>
      )}
    </>
  );
}

interface StatusProps {
  overview: Overview | undefined;
  findings: readonly Finding[];
  fetchedAt: Date;
  /** The last refresh failed, so that nothing is known of the present. */
  stale: boolean;
}

function Status({ overview, findings, fetchedAt, stale }: StatusProps) {
  const { words, dot } = statusWords({ overview, findings, fetchedAt, stale });
  return (
    <section
      aria-label="Status"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-10 gap-y-4 p-4">
        <div className="flex items-center gap-4 pl-1">
          <span aria-hidden className={`size-2.5 rounded-full ring-4 ${dot}`} />
          <div>
            <p className="font-semibold text-lg">{words}</p>
            <p className="min-h-5 text-ink-faint text-sm">{overview?.host}</p>
          </div>
        </div>
        <dl className="grid grid-cols-3 gap-x-8 gap-y-3 sm:flex">
          <Detail name="Uptime">
            {overview && <Uptime overview={overview} fetchedAt={fetchedAt} stale={stale} />}
          </Detail>
          <Detail name="Started">{overview && <RelativeTime time={overview.started_at} />}</Detail>
          <Detail name="Croft">{overview?.version}</Detail>
          <Detail name="Node.js">{overview?.process.node_version.replace(/^v/, "")}</Detail>
          <Detail name="Process">{overview?.process.pid}</Detail>
        </dl>
      </div>
      <ul aria-label="Needs attention" className="empty:hidden">
        {findings.map(({ subject, tone, title, detail, link }) => (
          <li key={subject}>
            <Notice tone={tone} title={title} className="border-t">
              <CodeText>{detail}</CodeText>{" "}
              {link !== undefined && (
                <Link {...link.to} className="font-medium text-accent hover:underline">
                  {link.words}
                </Link>
              )}
            </Notice>
          </li>
        ))}
      </ul>
    </section>
  );
}

function statusWords({ overview, findings, fetchedAt, stale }: StatusProps) {
  if (overview === undefined) return { words: "Checking", dot: "bg-line-strong ring-sunken" };
  if (stale) {
    return { words: `Unknown since ${formatClock(fetchedAt)}`, dot: "bg-line-strong ring-sunken" };
  }
  return findings.length === 0
    ? { words: "Running well", dot: "bg-ok ring-ok/20" }
    : { words: "Running, needs attention", dot: "bg-warn-mark ring-warn-mark/20" };
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-faint text-xs">{name}</dt>
      <dd className="flow-root min-h-5 text-sm tabular-nums">
        {children ?? <Skeleton className="my-0.5 h-4 w-14" />}
      </dd>
    </div>
  );
}

type UptimeProps = { overview: Overview } & Pick<StatusProps, "fetchedAt" | "stale">;

/** Counts on from the server's own clock, so that a browser with a wrong one still shows the right uptime. */
function Uptime({ overview, fetchedAt, stale }: UptimeProps) {
  const now = useNow(1_000);
  const atFetch = Date.parse(overview.now) - Date.parse(overview.started_at);
  const since = stale ? 0 : Math.max(0, now.getTime() - fetchedAt.getTime());
  return formatDuration(atFetch + since);
}

interface NumbersProps {
  overview: Overview | undefined;
  findings: readonly Finding[];
}

function Numbers({ overview, findings }: NumbersProps) {
  const toneOf = (subject: Finding["subject"]) =>
    findings.some((finding) => finding.subject === subject) ? "warn" : "plain";
  const memory = overview && splitBytes(overview.process.rss_bytes);
  return (
    <section aria-label="Process and requests">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-surface shadow-card lg:grid-cols-4 [&>*]:border-line [&>*:nth-child(even)]:border-l [&>*:nth-child(n+3)]:border-t lg:[&>*:nth-child(3)]:border-l lg:[&>*:nth-child(n+3)]:border-t-0">
        <Stat
          label="Requests"
          value={overview && formatCount(overview.requests.total)}
          note={overview && requestRate(overview)}
        />
        <Stat
          label="Failed requests"
          value={overview && formatCount(overview.requests.failed)}
          note={overview && failedShare(overview)}
          tone={toneOf("requests")}
        />
        <Stat
          label="Event loop delay, p99"
          value={overview && formatMilliseconds(overview.process.event_loop_p99_ms)}
          unit="ms"
          note={`good below ${limits.eventLoopMs} ms`}
          tone={toneOf("event-loop")}
        />
        <Stat label="Memory" value={memory?.value} unit={memory?.unit} note="resident set" />
      </dl>
    </section>
  );
}

function requestRate({ requests, now, started_at }: Overview): string {
  const minutes = (Date.parse(now) - Date.parse(started_at)) / 60_000;
  if (minutes < 1) return "since the start";
  const rate = requests.total / minutes;
  return `${rate.toLocaleString("en", { maximumFractionDigits: rate < 10 ? 1 : 0 })} a minute`;
}

function failedShare({ requests }: Overview): string {
  if (requests.failed === 0) return "no 5xx answers";
  return `${formatPercent(requests.failed / requests.total)} were 5xx`;
}

function DatabasePanel({ database }: { database: Overview["database"] | undefined }) {
  const modes = { embedded: "Embedded", external: "External" } as const;
  return (
    <Panel title="Database" icon={Database} aside={database && `PostgreSQL ${database.version}`}>
      <FactList
        facts={[
          ["Mode", database && modes[database.mode]],
          ["Size", database && formatBytes(database.size_bytes)],
          ["Connections", database && formatCount(database.connections)],
          ["Round trip", database && `${formatMilliseconds(database.round_trip_ms)} ms`],
        ]}
      />
    </Panel>
  );
}

interface DiskPanelProps {
  disk: Overview["disk"] | undefined;
  findings: readonly Finding[];
}

function DiskPanel({ disk, findings }: DiskPanelProps) {
  const tone = findings.find(({ subject }) => subject === "disk")?.tone ?? "ok";
  const used = disk === undefined ? 0 : 1 - disk.free_bytes / disk.total_bytes;
  const free = disk && splitBytes(disk.free_bytes);
  return (
    <Panel title="Disk" icon={HardDrive} aside={disk && `${formatPercent(used)} used`}>
      <p className="flex h-9 items-baseline gap-1.5">
        {free === undefined ? (
          <Skeleton className="h-7 w-28 self-center" />
        ) : (
          <span className="font-semibold text-2xl tabular-nums tracking-tight">{free.value}</span>
        )}
        <span className="text-ink-faint text-sm">{free && `${free.unit} free`}</span>
      </p>
      <div className="mt-2 mb-3">
        <Meter share={used} tone={tone} />
      </div>
      <FactList
        facts={[
          ["Size", disk && formatBytes(disk.total_bytes)],
          [
            "Data directory",
            disk && <code className="break-all font-mono text-xs">{disk.path}</code>,
          ],
        ]}
      />
    </Panel>
  );
}

function AccessPanel({ overview }: { overview: Overview | undefined }) {
  const { data: session } = useQuery(sessionQuery(useApi()));
  const manage = (
    <Link to="/settings" className="text-accent underline-offset-4 hover:underline">
      See your places
    </Link>
  );
  return (
    <Panel title="Access" icon={Users} aside={manage}>
      <FactList
        facts={[
          ["Admins", overview && formatCount(overview.admins)],
          ["Signed-in places", overview && formatCount(overview.sessions)],
          ["Your role", session?.admin.role],
          ["Session ends", session && <RelativeTime time={session.expires_at} />],
        ]}
      />
    </Panel>
  );
}

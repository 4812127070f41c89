// One app: how its address behaves, what it watches, what was sent to it, its keys, and its end.
import type { AppDetail } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { appQuery, isOfApps } from "../apps/app-query.ts";
import { appState } from "../apps/app-state.ts";
import { AppActions, ResumeButton } from "../components/app-actions.tsx";
import { AppCredentials } from "../components/app-credentials.tsx";
import { AppDanger } from "../components/app-danger.tsx";
import { AppKeys } from "../components/app-keys.tsx";
import { AppDeliveries, AppWatches } from "../components/app-lists.tsx";
import { upTo } from "../components/app-table.tsx";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { BulkProgress } from "../components/bulk-progress.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Fact, factLink } from "../components/fact.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { PingResult } from "../components/ping-result.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { Stat } from "../components/stat.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { formatCount } from "../format-count.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function AppPage() {
  const { id } = useParams({ from: "/app/apps/$id" });
  // Another app is another page: nothing of the last one stays.
  return <AppView key={id} id={id} />;
}

function AppView({ id }: { id: string }) {
  const api = useApi();
  const search = useSearch({ from: "/app/apps/$id" });
  const navigate = useNavigate();
  const { data: app, error, isFetching, refetch } = useQuery(appQuery(api, id));
  useLiveQueries(appQuery(api, id).queryKey, isOfApps);
  const [ping, setPing] = useState<string>();
  if (app === undefined) {
    return <PendingPage title={`App ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  const showBulk = (bulk: { id: string }) =>
    void navigate({ to: "/apps/$id", params: { id }, search: { bulk: bulk.id } });
  return (
    <>
      <Breadcrumb link={{ to: "/apps", search: {} }}>Apps</Breadcrumb>
      <PageHeader title={app.name}>
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          <AppActions app={app} onPinged={setPing} />
        </div>
      </PageHeader>
      <div className="space-y-6">
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          {ping !== undefined && (
            <PingResult deliveryId={ping} app={app} onHide={() => setPing(undefined)} />
          )}
          {search.bulk !== undefined && (
            <BulkProgress
              id={search.bulk}
              hideLink={{ to: "/apps/$id", params: { id }, search: {} }}
            />
          )}
          <Summary app={app} />
          <Numbers app={app} />
        </div>
        <AppWatches app={app} onBulk={showBulk} />
        <AppDeliveries app={app} onBulk={showBulk} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <AppKeys app={app} kind="token" />
          <AppKeys app={app} kind="signing-secret" />
        </div>
        <AppCredentials appId={app.id} />
        <AppDanger app={app} />
      </div>
    </>
  );
}

function Summary({ app }: { app: AppDetail }) {
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <div className="flex items-start gap-3">
          <StatusBadge status={appState(app)} />
          {app.description !== "" && (
            <p className="min-w-0 whitespace-pre-wrap break-words pt-0.5 text-sm">
              {app.description}
            </p>
          )}
        </div>
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          <Fact name="Address">{app.base_url ?? "none: it only asks"}</Fact>
          {app.email !== null && (
            <Fact name="E-mail">
              <a href={`mailto:${app.email}`} className={factLink}>
                {app.email}
              </a>
            </Fact>
          )}
          <Fact name="Requests at a time">{formatCount(app.delivery_slots)}</Fact>
          <Fact name="Onboarded">
            <RelativeTime time={app.created_at} isPast />
          </Fact>
          <Fact name="Last seen">
            {app.last_seen_at === null ? (
              "never asked"
            ) : (
              <RelativeTime time={app.last_seen_at} isPast />
            )}
          </Fact>
          <Fact name="Id">
            <span className="flex h-5 items-center font-mono text-xs">
              {app.id}
              <CopyButton label="Copy the id" text={() => app.id} />
            </span>
          </Fact>
        </dl>
      </div>
      <EndpointHealth app={app} />
    </section>
  );
}

/** What keeps deliveries from the app, and the way out. */
function EndpointHealth({ app }: { app: AppDetail }) {
  const mayChange = useMayChange();
  const { paused, endpoint, base_url } = app;
  const failures = `${formatCount(endpoint.failures)} ${endpoint.failures === 1 ? "request" : "requests"} in a row failed.`;
  const tryNow = mayChange && !paused && (
    <div className="mt-2">
      <ResumeButton app={app} label="Try now" />
    </div>
  );
  return (
    <>
      {paused && (
        <Notice tone="warn" title="It is paused" className="border-t">
          Nothing is sent. When it is resumed it is told what has changed meanwhile.
        </Notice>
      )}
      {base_url !== null && endpoint.state === "gone" && endpoint.gone_at !== null && (
        <Notice tone="bad" title="Its address says that it is gone" className="border-t">
          It answered 410 <RelativeTime time={endpoint.gone_at} isPast />, so nothing is sent until
          somebody says that it is back, or gives it another address.
          {tryNow}
        </Notice>
      )}
      {base_url !== null && endpoint.state === "closed" && endpoint.closed_until !== null && (
        <Notice tone="bad" title="Its address is left alone for a while" className="border-t">
          {endpoint.failures > 0 ? failures : "It asked for a pause."} It is tried again{" "}
          <RelativeTime time={endpoint.closed_until} />, with one request first.
          {tryNow}
        </Notice>
      )}
      {base_url !== null && endpoint.state === "open" && endpoint.failures > 0 && (
        <Notice tone="warn" title="Its address fails" className="border-t">
          {failures} One request at a time is tried until one is accepted.
          {tryNow}
        </Notice>
      )}
    </>
  );
}

function Numbers({ app }: { app: AppDetail }) {
  const { failed_deliveries: failed, pending_deliveries: pending } = app;
  return (
    <section aria-label="Numbers">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-surface shadow-card lg:grid-cols-4 [&>*]:border-line [&>*:nth-child(even)]:border-l [&>*:nth-child(n+3)]:border-t lg:[&>*:nth-child(3)]:border-l lg:[&>*:nth-child(n+3)]:border-t-0">
        <Stat
          label="Watched repositories"
          value={formatCount(app.watches)}
          note={app.watches === 0 ? "it hears of nothing" : "looked at for it"}
        />
        <Stat
          label="Undelivered"
          value={upTo(pending)}
          note={pending === 0 ? "all was accepted" : "still to be accepted"}
        />
        <Stat
          label="Failed deliveries"
          value={upTo(failed)}
          note={failed === 0 ? "none given up" : "given up or set aside"}
          tone={failed === 0 ? "plain" : "warn"}
        />
        <Stat
          label="Open jobs and runs"
          value={formatCount(app.open_jobs + app.open_runs)}
          note="that wait or run"
        />
      </dl>
    </section>
  );
}

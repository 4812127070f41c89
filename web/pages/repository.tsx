// One watched repository: how far its app was told of it, what keeps it, what was sent, and its files.
import type { Watch } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useAppNames } from "../apps/use-app-name.ts";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CodeText } from "../components/code-text.tsx";
import { DeliveryTable } from "../components/delivery-table.tsx";
import { factLink } from "../components/fact.tsx";
import { ListBody } from "../components/list-body.tsx";
import { EmptyLine, ListSection } from "../components/list-section.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { WatchActions } from "../components/watch-actions.tsx";
import { WatchFacts } from "../components/watch-facts.tsx";
import { WatchFiles } from "../components/watch-files.tsx";
import { deliveriesKey, deliveriesQuery, isOfDeliveries } from "../deliveries/delivery-query.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { watchAdvice } from "../repositories/watch-advice.ts";
import { isOfWatches, watchQuery } from "../repositories/watch-query.ts";
import { repositoryName } from "../repository-name.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";

export function RepositoryPage() {
  const { id } = useParams({ from: "/app/repositories/$id" });
  // Another one is another page: nothing of the last one stays.
  return <RepositoryView key={id} id={id} />;
}

function RepositoryView({ id }: { id: string }) {
  const api = useApi();
  const nameOf = useAppNames();
  const { data: watch, error, isFetching, refetch } = useQuery(watchQuery(api, id));
  useLiveQueries(watchQuery(api, id).queryKey, isOfWatches);
  if (watch === undefined) {
    return <PendingPage title={`Repository ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  const appName = nameOf(watch.app);
  return (
    <>
      <Breadcrumb link={{ to: "/repositories", search: {} }}>Repositories</Breadcrumb>
      <PageHeader title={repositoryName(watch.url)}>
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          <WatchActions watch={watch} appName={appName} />
        </div>
      </PageHeader>
      <div className="space-y-6">
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          <Summary watch={watch} appName={appName} />
        </div>
        <RecentDeliveries watch={watch} />
        <WatchFiles watch={watch} />
      </div>
    </>
  );
}

function Summary({ watch, appName }: { watch: Watch; appName: string }) {
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <StatusBadge status={watch.state} />
        <WatchFacts watch={watch} appName={appName} />
      </div>
      {watch.state === "pending" && watch.error === null && (
        <p className="border-line border-t bg-sunken px-4 py-3 text-ink-soft text-sm">
          Its first sync is still to come: every file of the ref will be sent to {appName}.
        </p>
      )}
      {watch.error !== null && <Fault watch={watch} error={watch.error} />}
    </section>
  );
}

interface FaultProps {
  watch: Watch;
  error: NonNullable<Watch["error"]>;
}

function Fault({ watch, error }: FaultProps) {
  return (
    <Notice
      tone={watch.state === "failing" ? "bad" : "warn"}
      title={sentence(error.message)}
      className="border-t"
    >
      <CodeText>{`\`${error.code}\` ${watchAdvice(error.code)}`}</CodeText>{" "}
      {watch.held && "Until then nothing of it is sent. "}
      {watch.failed_since !== null && (
        <>
          It began to fail <RelativeTime time={watch.failed_since} isPast />.{" "}
        </>
      )}
      {watch.retry_at !== null && (
        <>
          The next look at it: <RelativeTime time={watch.retry_at} />.
        </>
      )}
    </Notice>
  );
}

/** So many are shown here; the rest is on their own page. */
const shownMax = 5;

function RecentDeliveries({ watch }: { watch: Watch }) {
  const query = useQuery(deliveriesQuery(useApi(), { watch: watch.id }, shownMax));
  useLiveQueries(deliveriesKey, isOfDeliveries);
  return (
    <ListSection
      title="Recent deliveries"
      aside={
        <Link to="/deliveries" search={{ watch: watch.id }} className={factLink}>
          Show all
        </Link>
      }
    >
      <ListBody
        query={query}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={<EmptyLine>Nothing of it was sent yet.</EmptyLine>}
      >
        {({ deliveries }) => <DeliveryTable deliveries={deliveries} isOfOneWatch />}
      </ListBody>
    </ListSection>
  );
}

// One delivery: what it tells, how every try went, why it waits, and once more.
import type { DeliveryDetails } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Files, ListRestart, Split } from "lucide-react";
import { appQuery, isOfApps } from "../apps/app-query.ts";
import { useAppNames } from "../apps/use-app-name.ts";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CodeText } from "../components/code-text.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { DeliveryAttempts } from "../components/delivery-attempts.tsx";
import { DeliveryReplay } from "../components/delivery-replay.tsx";
import { Fact, factLink } from "../components/fact.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { CommitId } from "../components/run-facts.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { deliveryQuery, isOfDeliveries } from "../deliveries/delivery-query.ts";
import { deliverySummary, stateSentences, whyWaiting } from "../deliveries/describe-delivery.ts";
import { formatCount } from "../format-count.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { watchQuery } from "../repositories/watch-query.ts";
import { repositoryName } from "../repository-name.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { useNow } from "../use-now.ts";

export function DeliveryPage() {
  const { id } = useParams({ from: "/app/deliveries/$id" });
  // Another one is another page: nothing of the last one stays.
  return <DeliveryView key={id} id={id} />;
}

function DeliveryView({ id }: { id: string }) {
  const api = useApi();
  const { data: delivery, error, isFetching, refetch } = useQuery(deliveryQuery(api, id));
  useLiveQueries(deliveryQuery(api, id).queryKey, isOfDeliveries);
  if (delivery === undefined) {
    return <PendingPage title={`Delivery ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  return (
    <>
      <Breadcrumb link={{ to: "/deliveries", search: {} }}>Deliveries</Breadcrumb>
      <PageHeader title={`${delivery.type} ${shortId(id)}`}>
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          <DeliveryReplay delivery={delivery} />
        </div>
      </PageHeader>
      <div className="space-y-4">
        <div role="alert" className="empty:hidden">
          {error !== null && <ProblemNotice error={error} />}
        </div>
        <Summary delivery={delivery} />
        <Parts delivery={delivery} />
        <Panel title="Tries" icon={ListRestart} aside={triesWords(delivery)}>
          <DeliveryAttempts attempts={delivery.attempts} />
        </Panel>
        {delivery.paths.length > 0 && <Paths delivery={delivery} />}
      </div>
    </>
  );
}

function Summary({ delivery }: { delivery: DeliveryDetails }) {
  const nameOf = useAppNames();
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <div className="flex items-start gap-3">
          <StatusBadge status={delivery.state} />
          <p className="min-w-0 break-all pt-0.5 text-sm">{deliverySummary(delivery)}</p>
        </div>
        <DeliveryFacts delivery={delivery} appName={nameOf(delivery.app)} />
      </div>
      {delivery.state === "pending" && <Waits delivery={delivery} />}
      <Outcome delivery={delivery} />
    </section>
  );
}

interface DeliveryFactsProps {
  delivery: DeliveryDetails;
  appName: string;
}

function DeliveryFacts({ delivery, appName }: DeliveryFactsProps) {
  const { watch, url, commit, replay_of, settled_at } = delivery;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="App">
        <Link to="/apps/$id" params={{ id: delivery.app }} search={{}} className={factLink}>
          {appName}
        </Link>
      </Fact>
      {watch !== null && url !== null && (
        <Fact name="Repository">
          <Link to="/repositories/$id" params={{ id: watch }} search={{}} className={factLink}>
            {repositoryName(url)}
          </Link>
        </Fact>
      )}
      {commit !== null && (
        <Fact name="Commit">
          <CommitId commit={commit} />
        </Fact>
      )}
      <Fact name="Created">
        <RelativeTime time={delivery.created_at} isPast />
      </Fact>
      {settled_at !== null && (
        <Fact name={delivery.state === "delivered" ? "Accepted" : "Ended"}>
          <RelativeTime time={settled_at} isPast />
        </Fact>
      )}
      {replay_of !== null && (
        <Fact name="Replay of">
          <Link to="/deliveries/$id" params={{ id: replay_of }} className={`font-mono ${factLink}`}>
            {shortId(replay_of)}
          </Link>
        </Fact>
      )}
      <Fact name="Id">
        <span className="flex h-5 items-center font-mono text-xs">
          {delivery.id}
          <CopyButton label="Copy the id" text={() => delivery.id} />
        </span>
      </Fact>
    </dl>
  );
}

const renewMs = 5_000;

function Waits({ delivery }: { delivery: DeliveryDetails }) {
  const api = useApi();
  const now = useNow(renewMs);
  const { data: app } = useQuery(appQuery(api, delivery.app));
  useLiveQueries(appQuery(api, delivery.app).queryKey, isOfApps);
  const { data: watch } = useQuery({
    ...watchQuery(api, delivery.watch ?? ""),
    enabled: delivery.watch !== null,
  });
  const { words, until } = whyWaiting(delivery, { app, watch }, now);
  return (
    <div className="border-line border-t bg-sunken px-4 py-3 text-sm">
      <p className="font-medium">Why it waits</p>
      <p className="text-ink-soft">
        {words}{" "}
        {until !== undefined && (
          <>
            The next try is <RelativeTime time={until} />.
          </>
        )}
      </p>
    </div>
  );
}

function Outcome({ delivery }: { delivery: DeliveryDetails }) {
  const { state, error } = delivery;
  if (error === null || state === "delivered") return null;
  const isOver = state === "failed";
  return (
    <Notice tone={isOver ? "bad" : "warn"} title={sentence(error.message)} className="border-t">
      <CodeText>{`\`${error.code}\` ${stateSentences[state]}`.trim()}</CodeText>
    </Notice>
  );
}

/** Halves of one that was split, and what was sent again. */
function Parts({ delivery }: { delivery: DeliveryDetails }) {
  if (delivery.parts.length === 0) return null;
  return (
    <Panel title="Parts of the same message" icon={Split} aside="halves and replays">
      <ul aria-label="Halves and replays" className="-my-2 divide-y divide-line text-sm">
        {delivery.parts.map(({ id, state, files, replay_of }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <StatusBadge status={state} />
            <Link to="/deliveries/$id" params={{ id }} className={`font-mono text-xs ${factLink}`}>
              {shortId(id)}
            </Link>
            <span className="text-ink-soft">
              {formatCount(files)} {files === 1 ? "file" : "files"}
              {replay_of !== null && ", replay"}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function triesWords({ attempt, attempts }: DeliveryDetails): string | undefined {
  if (attempts.length === 0) return undefined;
  return attempt > attempts.length ? `the last ${attempts.length}` : undefined;
}

const changeLooks: Record<string, string> = {
  created: "text-accent",
  updated: "text-run",
  deleted: "text-bad",
};

function Paths({ delivery: { paths, files } }: { delivery: DeliveryDetails }) {
  const aside = files > paths.length ? `the first ${formatCount(paths.length)}` : undefined;
  return (
    <Panel title={`Files (${formatCount(files)})`} icon={Files} aside={aside}>
      <section
        aria-label="Files of the delivery"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-96 overflow-y-auto"
      >
        <ul className="space-y-1 font-mono text-xs leading-5">
          {paths.map(({ path, change }) => (
            <li key={`${change} ${path}`} className="flex gap-3">
              <span className={`w-16 shrink-0 font-sans ${changeLooks[change] ?? ""}`}>
                {change}
              </span>
              <span className="min-w-0 break-all">{path}</span>
            </li>
          ))}
        </ul>
      </section>
    </Panel>
  );
}

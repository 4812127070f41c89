// One event of GitHub: what happened, what it started, what went wrong, what came, and once more.
import type { GithubEventDetails } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Braces, Rocket } from "lucide-react";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CodeText } from "../components/code-text.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Fact, factLink } from "../components/fact.tsx";
import { GithubEffects } from "../components/github-effects.tsx";
import { GithubReplay } from "../components/github-replay.tsx";
import { JsonTree } from "../components/json-tree.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { formatBytes } from "../format-bytes.ts";
import {
  aboutLink,
  eventAbout,
  eventName,
  statusSentences,
  whyPending,
} from "../github/describe-event.ts";
import { githubEventQuery, githubStateQuery, isOfGithub } from "../github/github-query.ts";
import { useInstallationNames } from "../github/use-installation-names.ts";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { useNow } from "../use-now.ts";

export function GithubEventPage() {
  const { id } = useParams({ from: "/app/github/events/$id" });
  // Another one is another page: nothing of the last one stays.
  return <EventView key={id} id={id} />;
}

function EventView({ id }: { id: string }) {
  const api = useApi();
  const { data: event, error, isFetching, refetch } = useQuery(githubEventQuery(api, id));
  useLiveQueries(githubEventQuery(api, id).queryKey, isOfGithub);
  if (event === undefined) {
    return <PendingPage title={`Event ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  return (
    <>
      <Breadcrumb link={{ to: "/github", search: {} }}>GitHub</Breadcrumb>
      <PageHeader title={`${eventName(event)} ${shortId(id)}`}>
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          <GithubReplay event={event} />
        </div>
      </PageHeader>
      <div className="space-y-4">
        <div role="alert" className="empty:hidden">
          {error !== null && <ProblemNotice error={error} />}
        </div>
        <Summary event={event} />
        {event.effects.length > 0 && (
          <Panel title="What it started" icon={Rocket}>
            <GithubEffects effects={event.effects} />
          </Panel>
        )}
        <PayloadPanel event={event} />
      </div>
    </>
  );
}

function Summary({ event }: { event: GithubEventDetails }) {
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <div className="flex items-start gap-3">
          <StatusBadge status={event.status} />
          <About event={event} />
        </div>
        <EventFacts event={event} />
      </div>
      {event.status === "pending" && <Waits event={event} />}
      {event.status === "ignored" && (
        <p className="border-line border-t bg-sunken px-4 py-3 text-ink-soft text-sm">
          {statusSentences.ignored}
        </p>
      )}
      {event.error !== null && (
        <Notice
          tone={event.status === "failed" ? "bad" : "warn"}
          title={sentence(event.error.message)}
          className="border-t"
        >
          <CodeText>{`\`${event.error.code}\` ${statusSentences[event.status]}`.trim()}</CodeText>
        </Notice>
      )}
    </section>
  );
}

function About({ event }: { event: GithubEventDetails }) {
  const { data: state } = useQuery(githubStateQuery(useApi()));
  const about = eventAbout(event);
  const link = state === undefined ? undefined : aboutLink(state.web_url, event);
  return (
    <p className="min-w-0 break-all pt-0.5 text-sm">
      {link === undefined ? (
        (about ?? "about no repository")
      ) : (
        <a href={link} className={factLink}>
          {about}
        </a>
      )}
      {event.sender !== null && <span className="text-ink-soft"> by {event.sender}</span>}
    </p>
  );
}

function EventFacts({ event }: { event: GithubEventDetails }) {
  const nameOf = useInstallationNames();
  const { installation, settled_at, replay } = event;
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="Installation">
        {installation === null ? (
          "none"
        ) : (
          <Link
            to="/github/installations/$id"
            params={{ id: String(installation) }}
            className={factLink}
          >
            {nameOf(installation)}
          </Link>
        )}
      </Fact>
      <Fact name="Received">
        <RelativeTime time={event.received_at} isPast />
      </Fact>
      {settled_at !== null && (
        <Fact name={event.status === "failed" ? "Given up" : "Settled"}>
          <RelativeTime time={settled_at} isPast />
        </Fact>
      )}
      {replay > 0 && <Fact name="Replayed">{replay === 1 ? "once" : `${replay} times`}</Fact>}
      <CopiedFact name="Delivery at GitHub" label="Copy the delivery id" text={event.delivery_id} />
      <CopiedFact name="Id" label="Copy the id" text={event.id} />
    </dl>
  );
}

function CopiedFact({ name, label, text }: { name: string; label: string; text: string }) {
  return (
    <Fact name={name}>
      <span className="flex h-5 items-center font-mono text-xs">
        {text}
        <CopyButton label={label} text={() => text} />
      </span>
    </Fact>
  );
}

const renewMs = 5_000;

function Waits({ event }: { event: GithubEventDetails }) {
  const { words, until } = whyPending(event, useNow(renewMs));
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

function PayloadPanel({ event: { payload, size_bytes } }: { event: GithubEventDetails }) {
  return (
    <Panel
      title="Payload"
      icon={Braces}
      aside={
        <span className="flex items-center gap-2">
          {formatBytes(size_bytes)}, signature verified
          <CopyButton
            label="Copy the payload as JSON"
            text={() => JSON.stringify(payload, undefined, 2)}
          />
        </span>
      }
    >
      <JsonTree value={payload} />
    </Panel>
  );
}

// GitHub: whether the App is connected, who has installed it, and the newest events with filters in the address.
import type { GithubInstallation, GithubState } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { GitPullRequest, ListFilter } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button.tsx";
import { CodeBlock } from "../components/code-block.tsx";
import { CodeText } from "../components/code-text.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import {
  GithubCheckButton,
  GithubCheckResult,
  useGithubCheck,
} from "../components/github-check.tsx";
import { GithubEventFilters } from "../components/github-event-filters.tsx";
import { GithubEventTable } from "../components/github-event-table.tsx";
import { GithubGaps, isUnconfigured } from "../components/github-gaps.tsx";
import { GithubSetup, webhookAddress } from "../components/github-setup.tsx";
import { InstallationTable } from "../components/installation-table.tsx";
import { ListBody } from "../components/list-body.tsx";
import { ListSection } from "../components/list-section.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { Stat } from "../components/stat.tsx";
import { formatCount } from "../format-count.ts";
import { formatRelative } from "../format-time.ts";
import {
  githubEventsQuery,
  githubKey,
  githubStateQuery,
  installationsMax,
  installationsQuery,
  isOfGithub,
} from "../github/github-query.ts";
import { type GithubSearch, hasFilter } from "../github/github-search.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useNow } from "../use-now.ts";

export function GithubPage() {
  const query = useQuery(githubStateQuery(useApi()));
  useLiveQueries(githubKey, isOfGithub);
  const checking = useGithubCheck();
  return (
    <>
      <PageHeader title="GitHub">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {query.data?.app_id != null && <GithubCheckButton checking={checking} />}
        </div>
      </PageHeader>
      <ListBody
        query={query}
        // What came while it was connected stays worth looking at.
        isEmpty={(state) => isUnconfigured(state) && state.last_received_at === null}
        empty={query.data !== undefined && <GithubSetup state={query.data} />}
      >
        {(state) => (
          <div className="space-y-6">
            <div className="space-y-4">
              <GithubGaps state={state} />
              <GithubCheckResult checking={checking} />
              <Numbers state={state} />
            </div>
            <Installations />
            <Events state={state} />
          </div>
        )}
      </ListBody>
    </>
  );
}

const renewMs = 30_000;

function Numbers({ state }: { state: GithubState }) {
  const now = useNow(renewMs);
  const { pending, failed, handled_last_day, ignored_last_day, last_received_at } = state;
  const last =
    last_received_at === null
      ? "none has come yet"
      : `the last came ${formatRelative(new Date(last_received_at), now)}`;
  return (
    <section aria-label="Numbers">
      <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-surface shadow-card lg:grid-cols-4 [&>*]:border-line [&>*:nth-child(even)]:border-l [&>*:nth-child(n+3)]:border-t lg:[&>*:nth-child(3)]:border-l lg:[&>*:nth-child(n+3)]:border-t-0">
        <Stat
          label="Installations"
          value={formatCount(state.installations)}
          note={state.app_id === null ? "of an unknown App" : `of App ${state.app_id}`}
        />
        <Stat
          label="Handled in 24 hours"
          value={formatCount(handled_last_day + ignored_last_day)}
          note={last}
        />
        <Stat
          label="Pending events"
          value={formatCount(pending)}
          note={pending === 0 ? "nothing waits" : "being handled, or waiting"}
        />
        <Stat
          label="Failed events"
          value={formatCount(failed)}
          note={failed === 0 ? "none given up" : "given up; replay them below"}
          tone={failed === 0 ? "plain" : "warn"}
        />
      </dl>
    </section>
  );
}

/** So many are shown before somebody asks for more. */
const shownMax = 8;

function Installations() {
  const [isWhole, setIsWhole] = useState(false);
  const query = useQuery(installationsQuery(useApi()));
  return (
    <ListSection title="Installations">
      <ListBody
        query={query}
        isEmpty={(installations) => installations.length === 0}
        empty={<NoInstallations />}
      >
        {(installations) => (
          <>
            <InstallationTable
              installations={isWhole ? installations : installations.slice(0, shownMax)}
            />
            {!isWhole && installations.length > shownMax && (
              <Button className="mt-3 h-8 px-3" onClick={() => setIsWhole(true)}>
                {allWords(installations)}
              </Button>
            )}
          </>
        )}
      </ListBody>
    </ListSection>
  );
}

function allWords({ length }: readonly GithubInstallation[]): string {
  const isCut = length >= installationsMax;
  return isCut ? `Show the first ${formatCount(length)}` : `Show all ${formatCount(length)}`;
}

function NoInstallations() {
  return (
    <EmptyState icon={GitPullRequest} title="No installation yet">
      <p className="max-w-lg">
        Install the App on an account at GitHub: it says so by an event to this address, and so does
        everything that happens in its repositories.
      </p>
      <div className="w-full max-w-xl">
        <CodeBlock label="Webhook URL">{webhookAddress()}</CodeBlock>
      </div>
      <p className="max-w-lg text-sm">
        <CodeText>
          {
            "Nothing arrives? `croft github check` says what GitHub thinks of the App, and its page at GitHub lists what was sent and how it was answered."
          }
        </CodeText>
      </p>
    </EmptyState>
  );
}

function Events({ state }: { state: GithubState }) {
  const search = useSearch({ from: "/app/github" });
  const query = useQuery(githubEventsQuery(useApi(), search));
  const isFirst = state.last_received_at === null;
  if (isFirst && !hasFilter(search)) return null;
  return (
    <div id="events" className="scroll-mt-4">
      <ListSection title="Events">
        <GithubEventFilters search={search} />
        <ListBody query={query} isEmpty={({ events }) => events.length === 0} empty={<NoEvents />}>
          {({ events, next_cursor }) => (
            <>
              <GithubEventTable
                caption="Events, newest first"
                events={events}
                isStale={query.isPlaceholderData}
              />
              <PageLinks
                newest={search.cursor === undefined ? undefined : pageOf(search, undefined)}
                older={next_cursor === null ? undefined : pageOf(search, next_cursor)}
              />
            </>
          )}
        </ListBody>
      </ListSection>
    </div>
  );
}

/** Its beginning is not that of the page. */
function pageOf(search: GithubSearch, cursor: string | undefined) {
  return { to: "/github", search: { ...search, cursor }, hash: "events" } as const;
}

function NoEvents() {
  return (
    <EmptyState icon={ListFilter} title="No event matches">
      <p>Nothing here has all of these properties. Events are kept for a while only.</p>
      <Link
        to="/github"
        search={{}}
        resetScroll={false}
        className="font-medium text-accent underline underline-offset-4"
      >
        Show all events
      </Link>
    </EmptyState>
  );
}

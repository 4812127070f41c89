// One installation of the GitHub App: whose it is, what fails, its events, its repositories and what it may do.
import type { GithubInstallationDetails } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ExternalLink, FolderGit2, KeyRound, Lock } from "lucide-react";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Fact, factLink } from "../components/fact.tsx";
import { FactList } from "../components/fact-list.tsx";
import { GithubEventTable } from "../components/github-event-table.tsx";
import { kindWords } from "../components/installation-table.tsx";
import { EmptyLine, ListSection } from "../components/list-section.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { formatCount } from "../format-count.ts";
import { accessWords, missingPermissions } from "../github/app-needs.ts";
import { aboutLink } from "../github/describe-event.ts";
import { githubStateQuery, installationQuery, isOfGithub } from "../github/github-query.ts";
import { installationName, installationState } from "../github/installation-state.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";

export function GithubInstallationPage() {
  const { id } = useParams({ from: "/app/github/installations/$id" });
  // Another one is another page: nothing of the last one stays.
  return <InstallationView key={id} id={Number(id)} />;
}

function InstallationView({ id }: { id: number }) {
  const api = useApi();
  const query = installationQuery(api, id);
  const { data: installation, error, isFetching, refetch } = useQuery(query);
  useLiveQueries(query.queryKey, isOfGithub);
  if (installation === undefined) {
    return <PendingPage title={`Installation ${id}`} {...{ error, isFetching, refetch }} />;
  }
  const { last_failures, last_events } = installation;
  return (
    <>
      <Breadcrumb link={{ to: "/github", search: {} }}>GitHub</Breadcrumb>
      <PageHeader title={installationName(installation)}>
        <LiveMark />
      </PageHeader>
      <div className="space-y-6">
        <div className="space-y-4">
          <div role="alert" className="empty:hidden">
            {error !== null && <ProblemNotice error={error} />}
          </div>
          <Summary installation={installation} />
        </div>
        {last_failures.length > 0 && (
          <ListSection
            title={`Failed events (${formatCount(installation.failed)})`}
            aside={<AllLink id={id} status="failed" />}
          >
            <GithubEventTable
              caption="Failed events, newest first"
              events={last_failures}
              isOfOne
            />
          </ListSection>
        )}
        <ListSection title="Newest events" aside={<AllLink id={id} />}>
          {last_events.length === 0 ? (
            <EmptyLine>None is kept. Events are removed a while after they were handled.</EmptyLine>
          ) : (
            <GithubEventTable caption="Newest events" events={last_events} isOfOne />
          )}
        </ListSection>
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <Repositories installation={installation} />
          <Permissions installation={installation} />
        </div>
      </div>
    </>
  );
}

function AllLink({ id, status }: { id: number; status?: "failed" }) {
  return (
    <Link
      to="/github"
      search={{ installation: String(id), status }}
      hash="events"
      className={factLink}
    >
      Show all
    </Link>
  );
}

function Summary({ installation }: { installation: GithubInstallationDetails }) {
  const { id, suspended_at, deleted_at, permissions } = installation;
  const missing = missingPermissions(permissions);
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <div className="flex items-start gap-3">
          <StatusBadge status={installationState(installation)} />
          <p className="min-w-0 break-words pt-0.5 text-sm">{kindWords(installation)}</p>
        </div>
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          <Fact name="Repositories">{formatCount(installation.repositories)}</Fact>
          <Fact name="Pending events">{formatCount(installation.pending)}</Fact>
          <Fact name="Failed events">{formatCount(installation.failed)}</Fact>
          <Fact name="Last event">
            {installation.last_received_at === null ? (
              "none kept"
            ) : (
              <RelativeTime time={installation.last_received_at} isPast />
            )}
          </Fact>
          <Fact name="Known since">
            <RelativeTime time={installation.created_at} isPast />
          </Fact>
          <Fact name="Work">
            <Link to="/jobs" search={{ owner: `installation:${id}` }} className={factLink}>
              its jobs
            </Link>
          </Fact>
          <Fact name="Id">
            <span className="flex h-5 items-center font-mono text-xs">
              {id}
              <CopyButton label="Copy the id" text={() => String(id)} />
            </span>
          </Fact>
        </dl>
      </div>
      {suspended_at !== null && deleted_at === null && (
        <Notice tone="warn" title="It is suspended" className="border-t">
          Somebody suspended it at GitHub <RelativeTime time={suspended_at} isPast />: no events
          come, and its repositories are closed until it is resumed there.
        </Notice>
      )}
      {deleted_at !== null && (
        <Notice tone="warn" title="The App was taken off" className="border-t">
          The account did so <RelativeTime time={deleted_at} isPast />. Its work cannot reach its
          repositories any more.
        </Notice>
      )}
      {deleted_at === null && missing.length > 0 && (
        <Notice tone="warn" title="It lacks permissions" className="border-t">
          {missing.map(({ name, access }) => `${name} (${accessWords(access)})`).join(", ")}. Change
          the App's permissions at GitHub; the account then has to accept them.
        </Notice>
      )}
    </section>
  );
}

function Repositories({ installation }: { installation: GithubInstallationDetails }) {
  const { data: state } = useQuery(githubStateQuery(useApi()));
  const { known_repositories: known, repositories } = installation;
  const aside = repositories > known.length ? `the first ${formatCount(known.length)}` : undefined;
  return (
    <Panel title={`Repositories (${formatCount(repositories)})`} icon={FolderGit2} aside={aside}>
      {known.length === 0 ? (
        <p className="text-ink-faint text-sm">
          {installation.deleted_at === null
            ? "None is known yet: each becomes known by its first event."
            : "None any more."}
        </p>
      ) : (
        <section
          aria-label="Repositories of the installation"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="-my-1 max-h-96 overflow-y-auto"
        >
          <ul className="text-sm">
            {known.map(({ id, full_name, is_private }) => (
              <li key={id} className="flex items-center gap-2 py-1">
                <RepositoryLink webUrl={state?.web_url} name={full_name} />
                {is_private && (
                  <span title="Private" className="shrink-0 text-ink-faint">
                    <Lock className="size-3.5" aria-hidden />
                    <span className="sr-only">private</span>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Panel>
  );
}

function RepositoryLink({ webUrl, name }: { webUrl: string | undefined; name: string }) {
  const about = { repository: name, pull_request: null };
  const link = webUrl === undefined ? undefined : aboutLink(webUrl, about);
  if (link === undefined) return <span className="min-w-0 truncate">{name}</span>;
  return (
    <a href={link} className={`min-w-0 truncate ${factLink}`}>
      {name}
    </a>
  );
}

function Permissions({ installation }: { installation: GithubInstallationDetails }) {
  const { permissions, events } = installation;
  const granted = Object.entries(permissions ?? {}).toSorted(([a], [b]) => a.localeCompare(b));
  return (
    <Panel
      title="Permissions and events"
      icon={KeyRound}
      aside={<SettingsLink installation={installation} />}
    >
      {permissions === null ? (
        <p className="text-ink-faint text-sm">
          Nothing is known: GitHub tells when the App is installed or changed.
        </p>
      ) : (
        <div className="space-y-4">
          <div>
            <FactList
              facts={granted.map(([name, access]) => [
                name.replaceAll("_", " "),
                accessWords(access),
              ])}
            />
          </div>
          <p className="text-ink-soft text-sm">
            {events === null || events.length === 0
              ? "It is told of no events but its own."
              : `It is told of ${events.toSorted().join(", ")}.`}
          </p>
        </div>
      )}
    </Panel>
  );
}

/** Where its account changes it. */
function SettingsLink({ installation }: { installation: GithubInstallationDetails }) {
  const { data: state } = useQuery(githubStateQuery(useApi()));
  const { id, account, account_type, deleted_at } = installation;
  if (state === undefined || deleted_at !== null) return null;
  const isOrganization = account_type === "Organization" && /^[\w.-]+$/.test(account ?? "");
  const whose = isOrganization ? `organizations/${account}/settings` : "settings";
  return (
    <a
      href={`${state.web_url}/${whose}/installations/${id}`}
      className={`inline-flex items-center gap-1 ${factLink}`}
    >
      At GitHub
      <ExternalLink className="size-3" aria-hidden />
    </a>
  );
}

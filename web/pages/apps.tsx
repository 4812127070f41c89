// All apps, newest first: who is told what changes, and how that goes.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Blocks, ListFilter, Plus } from "lucide-react";
import { appsKey, appsQuery, isOfApps } from "../apps/app-query.ts";
import type { AppSearch } from "../apps/app-search.ts";
import { AppTable } from "../components/app-table.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { FilterClear } from "../components/filter-clear.tsx";
import { FilterText } from "../components/filter-text.tsx";
import { LinkButton } from "../components/link-button.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function AppsPage() {
  const search = useSearch({ from: "/app/apps" });
  const navigate = useNavigate();
  const query = useQuery(appsQuery(useApi(), search));
  const mayChange = useMayChange();
  useLiveQueries(appsKey, isOfApps);
  const isFirst = search.search === undefined && query.data?.apps.length === 0;
  return (
    <>
      <PageHeader title="Apps">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {mayChange && !isFirst && (
            <LinkButton link={{ to: "/apps/new" }} look="primary" icon={Plus}>
              Onboard an app
            </LinkButton>
          )}
        </div>
      </PageHeader>
      {!isFirst && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
          <FilterText
            key={search.search ?? ""}
            label="Name, e-mail or address"
            value={search.search}
            onApply={(text) => void navigate({ to: "/apps", search: { search: text } })}
          />
          {search.search !== undefined && <FilterClear link={{ to: "/apps", search: {} }} />}
        </div>
      )}
      <ListBody
        query={query}
        isEmpty={({ apps }) => apps.length === 0}
        empty={<NoApps search={search} />}
      >
        {({ apps, next_cursor }) => (
          <>
            <AppTable apps={apps} isStale={query.isPlaceholderData} />
            <PageLinks
              newest={
                search.cursor === undefined
                  ? undefined
                  : { to: "/apps", search: { ...search, cursor: undefined } }
              }
              older={
                next_cursor === null
                  ? undefined
                  : { to: "/apps", search: { ...search, cursor: next_cursor } }
              }
            />
          </>
        )}
      </ListBody>
    </>
  );
}

function NoApps({ search }: { search: AppSearch }) {
  const mayChange = useMayChange();
  if (search.search !== undefined || search.cursor !== undefined) {
    return (
      <EmptyState icon={ListFilter} title="No app matches">
        <p>Nothing here has this in its name, e-mail or address.</p>
        <Link
          to="/apps"
          search={{}}
          className="font-medium text-accent underline underline-offset-4"
        >
          Show all apps
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={Blocks} title="No app yet">
      <p className="max-w-lg">
        An app is a program of yours that works with Croft: it asks the API with a token of its own,
        and is told what changes in the repositories it watches, by signed requests to its address.
      </p>
      {mayChange && (
        <LinkButton link={{ to: "/apps/new" }} look="primary" icon={Plus}>
          Onboard the first app
        </LinkButton>
      )}
    </EmptyState>
  );
}

// All watched repositories, newest first, with filters in the address.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { FolderGit2, ListFilter, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useAppNames } from "../apps/use-app-names.ts";
import { BulkButton } from "../components/bulk-button.tsx";
import { BulkProgress } from "../components/bulk-progress.tsx";
import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkButton } from "../components/link-button.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { NewWatchDialog } from "../components/watch-dialog.tsx";
import { WatchFilters } from "../components/watch-filters.tsx";
import { WatchTable } from "../components/watch-table.tsx";
import { definedOnly } from "../defined-only.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { isOfWatches, watchesKey, watchesQuery } from "../repositories/watch-query.ts";
import { hasFilter, type WatchSearch, watchFilter } from "../repositories/watch-search.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function RepositoriesPage() {
  const search = useSearch({ from: "/app/repositories" });
  const query = useQuery(watchesQuery(useApi(), search));
  useLiveQueries(watchesKey, isOfWatches);
  const isFirst = query.data?.watches.length === 0 && !hasFilter(search);
  return (
    <>
      <PageHeader title="Repositories">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {!isFirst && hasFilter(search) && <ResyncButton search={search} />}
          {!isFirst && <WatchButton search={search} />}
        </div>
      </PageHeader>
      {!isFirst && <WatchFilters search={search} />}
      {search.bulk !== undefined && (
        <BulkProgress
          id={search.bulk}
          hideLink={{ to: "/repositories", search: { ...search, bulk: undefined } }}
        />
      )}
      <ListBody
        query={query}
        isEmpty={({ watches }) => watches.length === 0}
        empty={<NoWatches search={search} />}
      >
        {({ watches, next_cursor }) => (
          <>
            <WatchTable watches={watches} isStale={query.isPlaceholderData} />
            <PageLinks
              newest={
                search.cursor === undefined
                  ? undefined
                  : { to: "/repositories", search: { ...search, cursor: undefined } }
              }
              older={
                next_cursor === null
                  ? undefined
                  : { to: "/repositories", search: { ...search, cursor: next_cursor } }
              }
            />
          </>
        )}
      </ListBody>
    </>
  );
}

/** For all that match, on all pages; without a filter it would be everything there is. */
function ResyncButton({ search }: { search: WatchSearch }) {
  const navigate = useNavigate();
  return (
    <BulkButton
      label="Re-sync all"
      icon={RefreshCw}
      request={{ action: "resync", filter: definedOnly(watchFilter(search)) }}
      title="Re-sync all these repositories?"
      onStarted={({ id }) =>
        void navigate({ to: "/repositories", search: { ...search, bulk: id } })
      }
    >
      Every file of all that match now, on all pages, is sent to its app again.
    </BulkButton>
  );
}

function WatchButton({ search }: { search: WatchSearch }) {
  const navigate = useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const names = useAppNames();
  if (!useMayChange()) return null;
  if (names?.length === 0) {
    return (
      <LinkButton link={{ to: "/apps/new" }} look="primary" icon={Plus}>
        Onboard an app first
      </LinkButton>
    );
  }
  return (
    <>
      <Button look="primary" onClick={() => setIsAdding(true)}>
        <Plus className="size-4" aria-hidden />
        Watch a repository
      </Button>
      {isAdding && (
        <NewWatchDialog
          appId={search.app}
          onMade={({ id }) =>
            void navigate({ to: "/repositories/$id", params: { id }, search: {} })
          }
          onClose={() => setIsAdding(false)}
        />
      )}
    </>
  );
}

function NoWatches({ search }: { search: WatchSearch }) {
  if (hasFilter(search) || search.cursor !== undefined) {
    return (
      <EmptyState icon={ListFilter} title="No repository matches">
        <p>Nothing that is watched has all of these properties.</p>
        <Link
          to="/repositories"
          search={{}}
          className="font-medium text-accent underline underline-offset-4"
        >
          Show all repositories
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={FolderGit2} title="Nothing is watched yet">
      <p className="max-w-lg">
        Croft looks at a repository for an app, and tells it of every file that changes: all of them
        first, then commit by commit. Any https or ssh git remote will do.
      </p>
      <WatchButton search={search} />
    </EmptyState>
  );
}

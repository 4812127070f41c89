// All stored files, newest first, with filters in the address; more come by a job, by an upload or by a drop.
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { FileStack, ListFilter } from "lucide-react";
import { assetsKey, assetsQuery, isOfAssets } from "../assets/asset-query.ts";
import { type AssetSearch, hasFilter } from "../assets/asset-search.ts";
import { type Uploads, useUploads } from "../assets/use-uploads.ts";
import { AssetFilters } from "../components/asset-filters.tsx";
import { AssetGrid } from "../components/asset-grid.tsx";
import { AssetUploads } from "../components/asset-uploads.tsx";
import { DropArea } from "../components/drop-area.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkButton } from "../components/link-button.tsx";
import { ListBody } from "../components/list-body.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { PageLinks } from "../components/page-links.tsx";
import { UploadButton } from "../components/upload-button.tsx";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { useMayChange } from "../use-may-change.ts";

export function AssetsPage() {
  const search = useSearch({ from: "/app/assets" });
  const query = useQuery(assetsQuery(useApi(), search));
  useLiveQueries(assetsKey, isOfAssets);
  const uploads = useUploads();
  const mayChange = useMayChange();
  const isNarrowed = hasFilter(search) || search.cursor !== undefined;
  const isFirst = query.data?.assets.length === 0 && !isNarrowed;
  return (
    <>
      <PageHeader title="Assets">
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          {mayChange && !isFirst && <UploadButton onFiles={uploads.add} />}
        </div>
      </PageHeader>
      {mayChange && <DropArea onFiles={uploads.add} />}
      {!isFirst && <AssetFilters search={search} />}
      <AssetUploads uploads={uploads} />
      <ListBody
        query={query}
        isEmpty={({ assets }) => assets.length === 0}
        empty={isNarrowed ? <NoMatch /> : <NoAssets uploads={uploads} mayChange={mayChange} />}
      >
        {({ assets, next_cursor }) => (
          <>
            <AssetGrid
              label="Assets, newest first"
              assets={assets}
              isStale={query.isPlaceholderData}
            />
            <Pages search={search} next={next_cursor} />
          </>
        )}
      </ListBody>
    </>
  );
}

function Pages({ search, next }: { search: AssetSearch; next: string | null }) {
  const to = (cursor: string | undefined) =>
    ({ to: "/assets", search: { ...search, cursor } }) as const;
  return (
    <PageLinks
      newest={search.cursor === undefined ? undefined : to(undefined)}
      older={next === null ? undefined : to(next)}
    />
  );
}

function NoMatch() {
  return (
    <EmptyState icon={ListFilter} title="No asset matches">
      <p>Nothing that is stored has all of these properties.</p>
      <Link
        to="/assets"
        search={{}}
        className="font-medium text-accent underline underline-offset-4"
      >
        Show all assets
      </Link>
    </EmptyState>
  );
}

function NoAssets({ uploads, mayChange }: { uploads: Uploads; mayChange: boolean }) {
  return (
    <EmptyState icon={FileStack} title="No asset yet">
      <p className="max-w-lg">
        Files that jobs make are kept here: reports, diagrams, archives, and what your own handlers
        write. Steps of a pipeline leave their artifacts.{" "}
        {mayChange && "You can also drop a file anywhere on this page."}
      </p>
      {mayChange && (
        <div className="flex flex-wrap justify-center gap-2">
          <LinkButton link={{ to: "/jobs/new", search: {} }} look="primary">
            Make one with a job
          </LinkButton>
          <UploadButton look="secondary" onFiles={uploads.add} />
        </div>
      )}
    </EmptyState>
  );
}

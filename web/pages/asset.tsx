// One stored file: what it looks like, what is known about it, and where it came from.
import type { Asset, Event } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Download, ExternalLink, Info } from "lucide-react";
import { useCallback } from "react";
import { assetQuery } from "../assets/asset-query.ts";
import { fileAddress, previewOf, shownName, viewAddress } from "../assets/describe-asset.ts";
import { DeleteAssetButton } from "../components/asset-delete.tsx";
import { AssetFacts } from "../components/asset-facts.tsx";
import { LargePreview } from "../components/asset-preview.tsx";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { ProblemView } from "../components/problem-view.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { shortId } from "../jobs/describe-job.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";

export function AssetPage() {
  const { id } = useParams({ from: "/app/assets/$id" });
  // Another asset is another page: nothing of the last one's picture stays.
  return <AssetView key={id} id={id} />;
}

function AssetView({ id }: { id: string }) {
  const { queryKey, ...options } = assetQuery(useApi(), id);
  const { data: asset, error, isFetching, refetch } = useQuery({ queryKey, ...options });
  useLiveQueries(
    queryKey,
    useCallback(({ subject }: Event) => subject === id, [id]),
  );
  if (asset === undefined) {
    return (
      <>
        <Breadcrumb link={{ to: "/assets", search: {} }}>Assets</Breadcrumb>
        <PageHeader title={`Asset ${shortId(id)}`} />
        {error === null ? (
          <Skeleton className="h-72 w-full" />
        ) : (
          <ProblemView error={error} busy={isFetching} onRetry={() => void refetch()} />
        )}
      </>
    );
  }
  return (
    <>
      <Breadcrumb link={{ to: "/assets", search: {} }}>Assets</Breadcrumb>
      <PageHeader title={shownName(asset)}>
        <Actions asset={asset} />
      </PageHeader>
      <div className="space-y-4">
        <div role="alert" className="empty:hidden">
          {error !== null && <ProblemNotice error={error} />}
        </div>
        {asset.superseded && (
          <Notice tone="warn" title="It is not used any more">
            The step that made it has been done again since, or will be.
          </Notice>
        )}
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
          <section
            aria-label="Preview"
            className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card"
          >
            <LargePreview asset={asset} />
          </section>
          <Panel title="About" icon={Info}>
            <AssetFacts asset={asset} />
          </Panel>
        </div>
      </div>
    </>
  );
}

const linkLook =
  "inline-flex h-8 shrink-0 items-center gap-2 rounded-md px-3 font-medium text-sm transition-colors";

function Actions({ asset }: { asset: Asset }) {
  const navigate = useNavigate();
  return (
    <div className="flex flex-wrap items-center gap-2">
      {previewOf(asset, "large") !== "none" && (
        <a
          href={viewAddress(asset)}
          target="_blank"
          rel="noopener"
          className={`border border-line-strong bg-surface text-ink shadow-card hover:bg-hover ${linkLook}`}
        >
          <ExternalLink className="size-4" aria-hidden />
          Open
        </a>
      )}
      <DeleteAssetButton
        asset={asset}
        look="words"
        onDeleted={() => void navigate({ to: "/assets", search: {} })}
      />
      <a
        href={fileAddress(asset)}
        download
        className={`bg-primary text-on-primary hover:bg-primary-hover ${linkLook}`}
      >
        <Download className="size-4" aria-hidden />
        Download
      </a>
    </div>
  );
}

// Files that a job, a run or a step made: as cards, or as lines where there is little room.
import type { Asset } from "@croft/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type MadeFilter, madeAssetsQuery } from "../assets/asset-query.ts";
import { fileAddress, shownName } from "../assets/describe-asset.ts";
import { formatBytes } from "../format-bytes.ts";
import { useApi } from "../use-api.ts";
import { AssetGrid } from "./asset-grid.tsx";
import { AssetIcon } from "./asset-preview.tsx";
import { Button } from "./button.tsx";
import { DownloadLink } from "./download-link.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface AssetListProps {
  filter: MadeFilter;
  /** Changes whenever there may be more of them. */
  state: string;
  emptyWords: string;
  look?: "lines" | "cards";
}

export function AssetList({ filter, state, emptyWords, look = "lines" }: AssetListProps) {
  const query = useInfiniteQuery(madeAssetsQuery(useApi(), filter, state));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (data === undefined) {
    if (error === null) return <Skeleton className="h-5 w-48" />;
    return (
      <div role="alert">
        <ProblemNotice error={error} />
      </div>
    );
  }
  const assets = data.pages.flatMap((page) => page.assets);
  if (assets.length === 0) return <p className="text-ink-faint text-sm">{emptyWords}</p>;
  return (
    <>
      {look === "cards" ? (
        <AssetGrid label="Assets" assets={assets} hasOrigin={false} />
      ) : (
        <ul className="-my-1.5 divide-y divide-line text-sm">
          {assets.map((asset) => (
            <AssetLine key={asset.id} asset={asset} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="mt-3">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function AssetLine({ asset }: { asset: Asset }) {
  const origin = [asset.step, asset.item].filter((part) => part !== null).join(" / ");
  return (
    <li className="flex items-center gap-2 py-0.5">
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 py-1">
        <Link
          to="/assets/$id"
          params={{ id: asset.id }}
          className="inline-flex min-w-0 items-center gap-2 font-medium text-accent hover:underline"
        >
          <AssetIcon asset={asset} />
          <span className="break-all">{shownName(asset)}</span>
        </Link>
        <span className="text-ink-soft text-xs">{origin}</span>
        {asset.superseded && (
          <span className="text-ink-faint text-xs">of an earlier attempt, not used any more</span>
        )}
        <span className="ml-auto text-ink-soft text-xs tabular-nums">
          {formatBytes(asset.bytes)}
        </span>
      </span>
      <DownloadLink href={fileAddress(asset)} name={shownName(asset)} />
    </li>
  );
}

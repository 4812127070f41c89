// Files that a run or a step made, to download.
import type { Asset } from "@croft/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { FileDown, FolderDown } from "lucide-react";
import { formatBytes } from "../format-bytes.ts";
import { type AssetFilter, assetsQuery } from "../runs/run-query.ts";
import { useApi } from "../use-api.ts";
import { Button } from "./button.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface AssetListProps {
  filter: AssetFilter;
  /** Changes whenever there may be more of them. */
  state: string;
  emptyWords: string;
}

export function AssetList({ filter, state, emptyWords }: AssetListProps) {
  const query = useInfiniteQuery(assetsQuery(useApi(), filter, state));
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
      <ul className="-my-1.5 divide-y divide-line text-sm">
        {assets.map((asset) => (
          <AssetRow key={asset.id} asset={asset} />
        ))}
      </ul>
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

function AssetRow({ asset }: { asset: Asset }) {
  // A directory comes as an archive.
  const isDirectory = asset.media_type === "application/x-tar";
  const Icon = isDirectory ? FolderDown : FileDown;
  const origin = [asset.step, asset.item].filter((part) => part !== null).join(" / ");
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 py-1.5">
      <a
        href={`/api/assets/${encodeURIComponent(asset.id)}/content`}
        download
        className="inline-flex min-w-0 items-center gap-2 font-medium text-accent hover:underline"
      >
        <Icon className="size-4 shrink-0" aria-hidden />
        <span className="break-all">{isDirectory ? `${asset.name}/` : asset.name}</span>
      </a>
      <span className="text-ink-soft text-xs">{origin}</span>
      {asset.superseded && (
        <span className="text-ink-faint text-xs">of an earlier attempt, not used any more</span>
      )}
      <span className="ml-auto text-ink-soft text-xs tabular-nums">{formatBytes(asset.bytes)}</span>
    </li>
  );
}

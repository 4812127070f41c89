// Assets as cards, each with a small picture of what is in it.
import type { Asset } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { essence, fileAddress, shownName } from "../assets/describe-asset.ts";
import { formatBytes } from "../format-bytes.ts";
import { DeleteAssetButton } from "./asset-delete.tsx";
import { AssetOrigin, AssetTask } from "./asset-origin.tsx";
import { SmallPreview } from "./asset-preview.tsx";
import { DownloadLink } from "./download-link.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { rowLink } from "./table-look.ts";

export interface AssetGridProps {
  label: string;
  assets: readonly Asset[];
  /** The cards are of another choice, until those asked for arrive. */
  isStale?: boolean;
  /** On the page of what made them, where that needs no telling. */
  hasOrigin?: boolean;
}

export function AssetGrid({ label, assets, isStale = false, hasOrigin = true }: AssetGridProps) {
  return (
    <ul
      aria-label={label}
      aria-busy={isStale}
      className={`grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-4 transition-opacity max-sm:gap-3 ${isStale ? "opacity-60" : ""}`}
    >
      {assets.map((asset) => (
        <AssetCard key={asset.id} asset={asset} hasOrigin={hasOrigin} />
      ))}
    </ul>
  );
}

function AssetCard({ asset, hasOrigin }: { asset: Asset; hasOrigin: boolean }) {
  return (
    <li className="relative flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-card transition-colors hover:border-line-strong">
      <div className="relative grid h-40 place-items-center overflow-hidden border-line border-b bg-sunken has-[img]:bg-paper">
        <SmallPreview asset={asset} />
      </div>
      <div className="flex flex-1 flex-col gap-0.5 px-3 pt-2.5 text-ink-soft text-xs">
        <Link
          to="/assets/$id"
          params={{ id: asset.id }}
          title={shownName(asset)}
          className={`truncate font-medium text-ink text-sm ${rowLink}`}
        >
          {shownName(asset)}
        </Link>
        <p className="truncate tabular-nums" title={asset.media_type}>
          {formatBytes(asset.bytes)}, {essence(asset)}
        </p>
        {asset.superseded && <p className="text-ink-faint">of an earlier attempt, not used</p>}
      </div>
      <footer className="flex items-center gap-1 py-1.5 pr-1.5 pl-3 text-ink-faint text-xs">
        <p className="mr-auto min-w-0 truncate *:relative">
          <RelativeTime time={asset.created_at} isPast />
          {hasOrigin && (
            <>
              {", "}
              <AssetOrigin asset={asset} />
            </>
          )}
          {hasOrigin && asset.source_task_id !== null && (
            <>
              {", "}
              <AssetTask asset={asset} />
            </>
          )}
        </p>
        <span className="relative flex shrink-0">
          <DownloadLink href={fileAddress(asset)} name={shownName(asset)} />
          <DeleteAssetButton asset={asset} look="icon" />
        </span>
      </footer>
    </li>
  );
}

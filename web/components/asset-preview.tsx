// What an asset looks like. Foreign content: a picture runs no scripts, a page stands in a frame that may do nothing.
import type { Asset } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { File, FileArchive, FileCode2, FileText, Folder, ImageIcon } from "lucide-react";
import { useRef, useState } from "react";
import {
  essence,
  isDirectory,
  type Preview,
  previewOf,
  shownName,
  unseenWords,
  viewAddress,
} from "../assets/describe-asset.ts";
import { textBytes, textQuery } from "../assets/text-query.ts";
import { formatBytes } from "../format-bytes.ts";
import { useInSight } from "../use-in-sight.ts";
import { CodeBlock } from "./code-block.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { Skeleton } from "./skeleton.tsx";

/** For a card: small, for the eye only, and fetched when it is scrolled to. */
export function SmallPreview({ asset }: { asset: Asset }) {
  const [isBroken, setIsBroken] = useState(false);
  const preview = isBroken ? "none" : previewOf(asset, "small");
  if (preview === "none") return <AssetIcon asset={asset} className="size-8 text-ink-faint" />;
  if (preview === "text") return <SmallText asset={asset} />;
  if (preview === "page") {
    return (
      <iframe
        src={viewAddress(asset)}
        title={`Preview of ${shownName(asset)}`}
        sandbox=""
        loading="lazy"
        tabIndex={-1}
        // Drawn at the width of a desk and made small.
        className="pointer-events-none absolute top-0 left-0 h-[300%] w-[300%] origin-top-left scale-[0.3334] bg-paper"
      />
    );
  }
  return (
    <img
      src={viewAddress(asset)}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setIsBroken(true)}
      className="absolute inset-0 size-full object-contain p-3"
    />
  );
}

function SmallText({ asset }: { asset: Asset }) {
  const box = useRef<HTMLDivElement>(null);
  const { data } = useQuery({ ...textQuery(asset, "small"), enabled: useInSight(box) });
  return (
    <div ref={box} className="absolute inset-0 overflow-hidden bg-log px-3 py-2">
      <pre className="font-mono text-[0.5625rem] text-ink-soft leading-3.5">{data}</pre>
    </div>
  );
}

/** For a page of its own. */
export function LargePreview({ asset }: { asset: Asset }) {
  const [isBroken, setIsBroken] = useState(false);
  const preview: Preview = previewOf(asset, "large");
  if (preview === "text") return <LargeText asset={asset} />;
  if (preview === "none" || isBroken) {
    const words = isBroken
      ? "The browser cannot read it as a picture."
      : `${unseenWords(asset)}${asset.bytes === 0 ? "" : " Download it to open it."}`;
    return (
      <div className="flex flex-col items-center gap-3 px-6 py-16 text-center text-ink-soft text-balance">
        <AssetIcon asset={asset} className="size-10 text-ink-faint" />
        <p>{words}</p>
      </div>
    );
  }
  if (preview === "page") {
    return (
      <iframe
        src={viewAddress(asset)}
        title={`Preview of ${shownName(asset)}`}
        sandbox=""
        className="block h-[min(75dvh,60rem)] w-full bg-paper"
      />
    );
  }
  return (
    <div className="grid min-h-48 place-items-center bg-paper p-4">
      <img
        src={viewAddress(asset)}
        alt={shownName(asset)}
        decoding="async"
        onError={() => setIsBroken(true)}
        className="max-h-[75dvh] max-w-full object-contain"
      />
    </div>
  );
}

function LargeText({ asset }: { asset: Asset }) {
  const { data, error } = useQuery(textQuery(asset, "large"));
  if (data === undefined) {
    return (
      <div className="p-4" role={error === null ? undefined : "alert"}>
        {error === null ? <Skeleton className="h-40 w-full" /> : <ProblemNotice error={error} />}
      </div>
    );
  }
  return (
    <div className="space-y-2 p-4">
      <CodeBlock label={`Text of ${shownName(asset)}`}>{data}</CodeBlock>
      {asset.bytes > textBytes.large && (
        <p className="text-ink-faint text-xs">
          The first {formatBytes(textBytes.large)} of {formatBytes(asset.bytes)}.
        </p>
      )}
    </div>
  );
}

export interface AssetIconProps {
  asset: Asset;
  className?: string;
}

export function AssetIcon({ asset, className = "size-4 shrink-0" }: AssetIconProps) {
  const type = essence(asset);
  const Icon = isDirectory(asset) ? Folder : iconOf(type);
  return <Icon className={className} aria-hidden strokeWidth={1.5} />;
}

function iconOf(type: string) {
  if (type.startsWith("image/")) return ImageIcon;
  if (/json|xml|html|javascript|css/.test(type)) return FileCode2;
  if (type.startsWith("text/") || type === "application/pdf") return FileText;
  return /zip|gzip|tar|zstd|xz|bzip|7z/.test(type) ? FileArchive : File;
}

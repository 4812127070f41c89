// All that is known about an asset, one property a line.
import type { Asset } from "@croft/contract";
import { essence, kindLabel } from "../assets/describe-asset.ts";
import { formatBytes } from "../format-bytes.ts";
import { formatCount } from "../format-count.ts";
import { AssetOrigin, AssetTask } from "./asset-origin.tsx";
import { CopyButton } from "./copy-button.tsx";
import { type Fact, FactList } from "./fact-list.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { CommitId } from "./run-facts.tsx";

export function AssetFacts({ asset }: { asset: Asset }) {
  const { declared_type, commit, expires_at, run_id, job_id } = asset;
  // By its contents it may be something else than what its sender said.
  const wasDeclaredElse =
    declared_type !== null && essence({ media_type: declared_type }) !== essence(asset);
  const facts: readonly (Fact | false)[] = [
    ["Kind", kindLabel(asset.kind)],
    ["Type", <Text key="type">{asset.media_type}</Text>],
    wasDeclaredElse && ["Declared as", <Text key="declared">{declared_type}</Text>],
    [
      "Size",
      <span key="size" title={`${formatCount(asset.bytes)} bytes`}>
        {formatBytes(asset.bytes)}
      </span>,
    ],
    ["Stored", <RelativeTime key="stored" time={asset.created_at} isPast />],
    expires_at !== null && ["Kept until", <RelativeTime key="until" time={expires_at} />],
    (run_id !== null || job_id !== null) && ["Made by", <AssetOrigin key="by" asset={asset} />],
    asset.source_task_id !== null && ["Task id", <AssetTask key="task" asset={asset} />],
    ["Owner", <Text key="owner">{asset.owner}</Text>],
    commit !== null && ["Commit", <CommitId key="commit" commit={commit} />],
    ["Id", <Copied key="id" label="Copy the id" text={asset.id} />],
    ["SHA-256", <Copied key="sha" label="Copy the SHA-256" text={asset.sha256} />],
  ];
  return <FactList facts={facts.filter((fact) => fact !== false)} />;
}

function Text({ children }: { children: string }) {
  return <span className="break-all">{children}</span>;
}

/** Short to read, whole to copy. */
function Copied({ label, text }: { label: string; text: string }) {
  return (
    <span className="-my-1.5 flex items-center justify-end font-mono text-xs" title={text}>
      <span className="min-w-0 truncate">{text.length > 36 ? `${text.slice(0, 20)}…` : text}</span>
      <CopyButton label={label} text={() => text} />
    </span>
  );
}

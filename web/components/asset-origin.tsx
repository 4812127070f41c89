// Where an asset came from, as links.
import type { Asset } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { shortId } from "../jobs/describe-job.ts";
import { factLink } from "./fact.tsx";

/** By its job or its run; undefined for what somebody uploaded. */
export function AssetOrigin({ asset }: { asset: Asset }) {
  const { run_id, job_id, step, item } = asset;
  if (run_id !== null) {
    const place = [step, item].filter((part) => part !== null).join(" / ");
    return (
      <Link
        to="/runs/$id"
        params={{ id: run_id }}
        search={{ step: step ?? undefined, item: item ?? undefined }}
        className={factLink}
      >
        run {shortId(run_id)}
        {place !== "" && `, ${place}`}
      </Link>
    );
  }
  if (job_id === null) return <>{asset.kind === "upload" ? "uploaded" : "its job is gone"}</>;
  return (
    <Link to="/jobs/$id" params={{ id: job_id }} className={factLink}>
      job {shortId(job_id)}
    </Link>
  );
}

export function AssetTask({ asset }: { asset: Asset }) {
  if (asset.source_task_id === null) return null;
  return (
    <Link to="/assets" search={{ source_task_id: asset.source_task_id }} className={factLink}>
      {asset.source_task_id}
    </Link>
  );
}

// The filters of the assets, as they stand in the address.
import type { AssetKind } from "@croft/contract";
import { searchText } from "../search-text.ts";

/** In the order in which they are offered. */
export const assetKinds = [
  "generated",
  "upload",
  "artifact",
  "bundle",
] as const satisfies readonly AssetKind[];

export interface AssetSearch {
  kind?: AssetKind | undefined;
  /** A media type, or its first part. */
  type?: string | undefined;
  /** A part of the name. */
  search?: string | undefined;
  job?: string | undefined;
  run?: string | undefined;
  source_task_id?: string | undefined;
  cursor?: string | undefined;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const mediaType = /^[\w.+-]{1,64}(?:\/[\w.+-]{1,64})?$/;

/** Everything is there, with or without a value: the router would pass an unchecked one on instead. */
export function assetSearch(search: Record<string, unknown>): AssetSearch {
  return {
    kind: assetKinds.find((kind) => kind === search["kind"]),
    type: matching(search["type"], mediaType),
    search: searchText(search["search"]),
    job: matching(search["job"], uuid),
    run: matching(search["run"], uuid),
    source_task_id: searchText(search["source_task_id"]),
    cursor: matching(search["cursor"], uuid),
  };
}

/** Which assets are meant, on whatever page. */
export function filterOf({ kind, type, search, job, run, source_task_id }: AssetSearch) {
  return { kind, type, search, job, run, source_task_id };
}

export function hasFilter(search: AssetSearch): boolean {
  return Object.values(filterOf(search)).some((value) => value !== undefined);
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  const text = searchText(value)?.trim();
  return text !== undefined && pattern.test(text) ? text : undefined;
}

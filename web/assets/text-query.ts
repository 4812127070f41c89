// The beginning of an asset's text. Shown as text by the page itself, so nothing in it can be more than that.
import type { Asset } from "@croft/contract";
import { queryOptions } from "@tanstack/react-query";
import { readProblem, unreachable } from "../problem-error.ts";
import { type PreviewSize, viewAddress } from "./describe-asset.ts";

export const textBytes = { small: 2 * 1024, large: 128 * 1024 } as const satisfies Record<
  PreviewSize,
  number
>;

export function textQuery(asset: Asset, size: PreviewSize) {
  return queryOptions({
    queryKey: ["asset-text", asset.id, size],
    // What was stored never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${textBytes[size] - 1}` };
      const response = await fetch(viewAddress(asset), { headers, signal }).catch(
        (error: unknown) => {
          throw signal.aborted ? error : unreachable();
        },
      );
      if (!response.ok) throw await readProblem(response);
      // As a stream: half a letter at the cut is left out.
      return new TextDecoder().decode(await response.arrayBuffer(), { stream: true });
    },
  });
}

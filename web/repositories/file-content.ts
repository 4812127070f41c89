// The beginning of a file of a watched repository, to look at.
import type { WatchFile } from "@croft/contract";
import { queryOptions } from "@tanstack/react-query";
import { readProblem, unreachable } from "../problem-error.ts";

/** More is downloaded, not looked at. */
export const shownBytesMax = 131_072;

export type FileContent = { kind: "text"; text: string; isWhole: boolean } | { kind: "binary" };

export function contentAddress(watchId: string, file: WatchFile): string {
  const query = new URLSearchParams({ path: file.path });
  if (file.path_encoding !== undefined) query.set("path_encoding", file.path_encoding);
  return `/api/repositories/${encodeURIComponent(watchId)}/content?${query}`;
}

/** The blob is part of the key: the same path may be another content later. */
export function contentQuery(watchId: string, file: WatchFile) {
  return queryOptions({
    queryKey: ["watch-content", watchId, file.path, file.blob],
    gcTime: 0,
    queryFn: async ({ signal }): Promise<FileContent> => {
      // An empty file has no first byte that could be asked for.
      const headers: HeadersInit =
        file.size === 0 ? {} : { range: `bytes=0-${Math.min(file.size, shownBytesMax) - 1}` };
      // Not by the typed client: the answer is bytes, of which only some are wanted.
      const response = await fetch(contentAddress(watchId, file), { signal, headers }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw error instanceof TypeError ? unreachable() : error;
        },
      );
      if (!response.ok) throw await readProblem(response);
      return contentOf(await response.arrayBuffer(), file.size);
    },
  });
}

function contentOf(bytes: ArrayBuffer, size: number): FileContent {
  if (new Uint8Array(bytes).includes(0)) return { kind: "binary" };
  const isWhole = bytes.byteLength >= size;
  try {
    // What is cut off in the middle of a character is no reason to take it for binary.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    return { kind: "text", text, isWhole };
  } catch {
    return { kind: "binary" };
  }
}

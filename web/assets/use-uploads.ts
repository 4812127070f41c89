// Files on their way to the server: a few at a time, each with its progress, its failure or its asset.
import type { Asset, CurrentSession } from "@croft/contract";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isSignedOut, sessionKey } from "../session-query.ts";
import { assetsKey } from "./asset-query.ts";
import { sendFile } from "./send-file.ts";

/** waiting → sending → sent | failed; failed → waiting, when it is tried again. */
export interface Upload {
  readonly key: number;
  readonly file: File;
  readonly state: "waiting" | "sending" | "sent" | "failed";
  /** Between 0 and 1. */
  readonly share: number;
  readonly error: unknown;
  readonly asset: Asset | undefined;
}

export interface Uploads {
  readonly all: readonly Upload[];
  add(files: readonly File[]): void;
  again(upload: Upload): void;
  /** Stops it where it has not ended. */
  remove(upload: Upload): void;
  removeEnded(): void;
}

const sendingMax = 2;

export function useUploads(): Uploads {
  const queryClient = useQueryClient();
  const [all, setAll] = useState<readonly Upload[]>([]);
  const stops = useRef(new Map<number, AbortController>());
  const nextKey = useRef(0);
  useEffect(() => {
    const change = (key: number, part: Partial<Upload>) =>
      setAll((before) => before.map((one) => (one.key === key ? { ...one, ...part } : one)));
    for (const { key, file } of all.filter(({ state }) => state === "waiting")) {
      if (stops.current.size >= sendingMax) return;
      const stop = new AbortController();
      stops.current.set(key, stop);
      change(key, { state: "sending" });
      void send(queryClient, file, stop.signal, (share) => change(key, { share })).then((end) => {
        stops.current.delete(key);
        if (!stop.signal.aborted) change(key, end);
        // One that was taken away makes room, too.
        else setAll((before) => before.filter((one) => one.key !== key));
      });
    }
  }, [all, queryClient]);
  // Whoever leaves the page leaves what is half sent; the server keeps nothing of it.
  useEffect(() => {
    const { current } = stops;
    return () => {
      for (const stop of current.values()) stop.abort();
    };
  }, []);
  return {
    all,
    add: (files) => {
      const more = files.map((file) => ({ ...fresh, key: nextKey.current++, file }));
      setAll((before) => [...before, ...more]);
    },
    again: ({ key }) =>
      setAll((before) => before.map((one) => (one.key === key ? { ...one, ...fresh } : one))),
    remove: ({ key }) => {
      stops.current.get(key)?.abort();
      setAll((before) => before.filter((one) => one.key !== key));
    },
    removeEnded: () =>
      setAll((before) => before.filter(({ state }) => state === "waiting" || state === "sending")),
  };
}

const fresh = { state: "waiting", share: 0, error: undefined, asset: undefined } as const;

async function send(
  queryClient: QueryClient,
  file: File,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Partial<Upload>> {
  const csrfToken = queryClient.getQueryData<CurrentSession | null>(sessionKey)?.csrf_token;
  try {
    const asset = await sendFile(file, { csrfToken, onProgress, signal });
    await queryClient.invalidateQueries({ queryKey: assetsKey });
    return { state: "sent", share: 1, asset };
  } catch (error) {
    if (isSignedOut(error)) await queryClient.invalidateQueries({ queryKey: sessionKey });
    return { state: "failed", error };
  }
}

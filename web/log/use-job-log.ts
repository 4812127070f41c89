// The log of a job as it grows: read from its stream while somebody looks, and gone on with after every break.
import type { LogPiece } from "@croft/contract";
import { useEffect, useRef, useState } from "react";
import { followStream } from "../live/follow-stream.ts";
import { useVisible } from "../live/use-visible.ts";
import { LogLines } from "./log-lines.ts";

export type LogState = "reading" | "live" | "broken" | "ended";

export interface JobLog {
  readonly content: LogLines;
  /** Changes with every piece; the lines themselves are only added to. */
  readonly version: number;
  readonly state: LogState;
  readonly error: unknown;
}

export function useJobLog(jobId: string): JobLog {
  const isVisible = useVisible();
  const [content] = useState(() => new LogLines());
  const place = useRef<{ lastId: string | undefined }>({ lastId: undefined });
  const [log, setLog] = useState<Omit<JobLog, "content">>({
    version: 0,
    state: "reading",
    error: undefined,
  });
  const isEnded = log.state === "ended";
  useEffect(() => {
    if (!isVisible || isEnded) return;
    const leave = new AbortController();
    const change = (part: Partial<JobLog>) =>
      setLog((before) => ({ ...before, ...part, version: before.version + 1 }));
    followStream({
      url: `/api/jobs/${encodeURIComponent(jobId)}/log/events`,
      signal: leave.signal,
      place: place.current,
      onOpen: () => change({ state: "live" }),
      onBreak: () => change({ state: "broken" }),
      onEvents: (events) => {
        for (const { type, data } of events) {
          if (type === "log") content.append(JSON.parse(data) as LogPiece);
        }
        const hasEnded = events.some(({ type }) => type === "end");
        change(hasEnded ? { state: "ended" } : {});
        return !hasEnded;
      },
    }).then(
      () => leave.signal.aborted || change({ state: "ended" }),
      (error: unknown) => change({ state: "broken", error }),
    );
    return () => leave.abort();
  }, [jobId, isVisible, isEnded, content]);
  return { content, ...log };
}

// One run with its steps, kept current by the events of the run and of the jobs of its steps.
import type { Event, RunDetail } from "@croft/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { useApi } from "../use-api.ts";
import { runKey, runQuery } from "./run-query.ts";

/** Of other runs as well; old ones are of no use. */
const startedMax = 1_000;

export function useRun(id: string) {
  const queryClient = useQueryClient();
  const run = useQuery(runQuery(useApi(), id));
  const subjects = useRef<ReadonlySet<string>>(new Set([id]));
  const started = useRef(new Set<string>());
  const { data } = run;
  useEffect(() => {
    const jobs = (data?.steps ?? []).flatMap(({ job_id }) => job_id ?? []);
    subjects.current = new Set([id, ...jobs]);
    // A job may start before anybody here knows that it is one of this run.
    if (data !== undefined && takeStarted(data, started.current)) {
      void queryClient.invalidateQueries({ queryKey: runKey(id) });
    }
  }, [id, data, queryClient]);
  const concerns = useCallback(({ subject, type }: Event) => {
    // A step is queued until its job has begun, and only the job's own event tells that.
    if (subjects.current.has(subject)) return type !== "job.progress";
    if (started.current.size >= startedMax) started.current.clear();
    if (type === "job.started") started.current.add(subject);
    return false;
  }, []);
  // Also when it has ended: somebody else may retry it.
  useLiveQueries(runKey(id), concerns);
  return run;
}

/** Whether a step is shown as queued whose job is known to have begun; each job once. */
function takeStarted({ steps }: RunDetail, started: Set<string>): boolean {
  const late = steps.flatMap(({ job_id, status }) =>
    job_id !== null && status === "queued" && started.has(job_id) ? [job_id] : [],
  );
  for (const jobId of late) started.delete(jobId);
  return late.length > 0;
}

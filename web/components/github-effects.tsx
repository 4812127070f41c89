// What an event of GitHub started, with the way to it and how that stands.
import type { Event, GithubEffect } from "@croft/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import { effectWords } from "../github/describe-event.ts";
import { shortId } from "../jobs/describe-job.ts";
import { jobQuery } from "../jobs/job-query.ts";
import { useLiveQueries } from "../live/use-live-queries.ts";
import { runKey, runQuery } from "../runs/run-query.ts";
import { sentence } from "../sentence.ts";
import { useApi } from "../use-api.ts";
import { factLink } from "./fact.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { StatusBadge } from "./status-badge.tsx";

export function GithubEffects({ effects }: { effects: readonly GithubEffect[] }) {
  return (
    <ul aria-label="What it started" className="-my-2.5 divide-y divide-line text-sm">
      {effects.map((effect) => (
        <li
          key={`${effect.replay} ${effect.trigger}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5"
        >
          {effect.run !== null && <StartedRun id={effect.run} />}
          {effect.job !== null && <StartedJob id={effect.job} />}
          <span className="min-w-0 break-words text-ink-soft">{effectWords(effect)}</span>
          {effect.replay > 0 && (
            <span className="text-ink-faint text-xs">replay {effect.replay}</span>
          )}
          <span className="ml-auto text-ink-faint text-xs">
            <RelativeTime time={effect.at} isPast />
          </span>
          {effect.problem !== null && (
            <p className="w-full break-words text-bad text-xs">{sentence(effect.problem)}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function StartedRun({ id }: { id: string }) {
  const { data, error } = useQuery(runQuery(useApi(), id));
  useLiveQueries(runKey(id), useIsAbout(id));
  return (
    <Started isGone={error !== null && data === undefined}>
      {data !== undefined && <StatusBadge status={data.status} />}
      <Link to="/runs/$id" params={{ id }} search={{}} className={factLink}>
        {data === undefined ? `run ${shortId(id)}` : `${data.name} #${data.number}`}
      </Link>
    </Started>
  );
}

function StartedJob({ id }: { id: string }) {
  const query = jobQuery(useApi(), id);
  const { data, error } = useQuery(query);
  useLiveQueries(query.queryKey, useIsAbout(id));
  return (
    <Started isGone={error !== null && data === undefined}>
      {data !== undefined && <StatusBadge status={data.status} />}
      <Link to="/jobs/$id" params={{ id }} className={factLink}>
        {data === undefined ? "job" : data.type} {shortId(id)}
      </Link>
    </Started>
  );
}

/** What is over may have been removed since, and then leads nowhere. */
function Started({ isGone, children }: { isGone: boolean; children: ReactNode }) {
  if (isGone) return <span className="text-ink-faint">no longer kept</span>;
  return <span className="flex items-center gap-2">{children}</span>;
}

function useIsAbout(id: string): (event: Event) => boolean {
  return useCallback(({ subject, type }) => subject === id && type !== "job.progress", [id]);
}

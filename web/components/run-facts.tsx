// The properties of a run, as a line of names and values.
import type { RunDetail } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { shortId } from "../jobs/describe-job.ts";
import { repositoryName } from "../repository-name.ts";
import { CopyButton } from "./copy-button.tsx";
import { Elapsed } from "./elapsed.tsx";
import { Fact, factLink } from "./fact.tsx";
import { InstallationFact } from "./installation-fact.tsx";
import { RelativeTime } from "./relative-time.tsx";

export function RunFacts({ run }: { run: RunDetail }) {
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="Repository">
        <span title={run.repository}>{repositoryName(run.repository)}</span>
      </Fact>
      {run.ref !== null && <Fact name="Ref">{run.ref}</Fact>}
      {run.commit !== null && (
        <Fact name="Commit">
          <CommitId commit={run.commit} />
        </Fact>
      )}
      <Fact name="Started by">{run.started_by}</Fact>
      <InstallationFact owner={run.owner} />
      <Fact name="Created">
        <RelativeTime time={run.created_at} isPast />
      </Fact>
      {run.started_at !== null && (
        <Fact name={run.finished_at === null ? "Runs for" : "Took"}>
          <Elapsed from={run.started_at} to={run.finished_at} />
        </Fact>
      )}
      {run.attempt > 1 && <Fact name="Attempt">{run.attempt}</Fact>}
      {run.key !== null && (
        <Fact name="Lane">
          <Link to="/queue" search={{}} className={factLink}>
            {run.key}
          </Link>
        </Fact>
      )}
      {run.pipeline !== null && (
        <Fact name="Pipeline">
          {run.file ?? run.name}, version {run.pipeline.version}
        </Fact>
      )}
      {run.source_task_id !== null && (
        <Fact name="Task id">
          <Link to="/jobs" search={{ source_task_id: run.source_task_id }} className={factLink}>
            {run.source_task_id}
          </Link>
        </Fact>
      )}
      {run.parent_id !== null && (
        <Fact name="Step of">
          <Link to="/runs/$id" params={{ id: run.parent_id }} search={{}} className={factLink}>
            run {shortId(run.parent_id)}
          </Link>
        </Fact>
      )}
      <Fact name="Id">
        <span className="flex h-5 items-center font-mono text-xs">
          {run.id}
          <CopyButton label="Copy the id" text={() => run.id} />
        </span>
      </Fact>
    </dl>
  );
}

/** Short to read, whole to copy. */
export function CommitId({ commit }: { commit: string }) {
  return (
    <span className="flex h-5 items-center font-mono text-xs" title={commit}>
      {commit.slice(0, 12)}
      <CopyButton label={`Copy the commit ${commit.slice(0, 12)}`} text={() => commit} />
    </span>
  );
}

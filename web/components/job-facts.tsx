// The properties of a job, as a line of names and values.
import type { Job } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { jobRepository, shortId } from "../jobs/describe-job.ts";
import { CopyButton } from "./copy-button.tsx";
import { Elapsed } from "./elapsed.tsx";
import { Fact, factLink as link } from "./fact.tsx";
import { InstallationFact } from "./installation-fact.tsx";
import { RelativeTime } from "./relative-time.tsx";

export function JobFacts({ job }: { job: Job }) {
  const repository = jobRepository(job);
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      {repository !== undefined && (
        <Fact name="Repository">
          <span title={String(job.input["repository"])}>{repository}</span>
        </Fact>
      )}
      <Fact name="Owner">
        <Link to="/jobs" search={{ owner: job.owner }} className={link}>
          {job.owner}
        </Link>
      </Fact>
      <InstallationFact owner={job.owner} />
      {job.key !== null && (
        <Fact name="Key">
          <Link to="/jobs" search={{ owner: job.owner, key: job.key }} className={link}>
            {job.key}
          </Link>
        </Fact>
      )}
      {job.priority !== "normal" && <Fact name="Priority">{job.priority}</Fact>}
      <Fact name="Created">
        <RelativeTime time={job.created_at} />
      </Fact>
      <Times job={job} />
      {job.source_task_id !== null && (
        <Fact name="Task id">
          <Link to="/jobs" search={{ source_task_id: job.source_task_id }} className={link}>
            {job.source_task_id}
          </Link>
        </Fact>
      )}
      {job.run_id !== null && (
        <Fact name="Step of">
          <Link
            to="/runs/$id"
            params={{ id: job.run_id }}
            search={{ step: job.step ?? undefined }}
            className={link}
          >
            run {shortId(job.run_id)}
            {job.step !== null && `, ${job.step}`}
          </Link>
        </Fact>
      )}
      {job.retry_of !== null && (
        <Fact name="Retry of">
          <Link to="/jobs/$id" params={{ id: job.retry_of }} className={`font-mono ${link}`}>
            {shortId(job.retry_of)}
          </Link>
        </Fact>
      )}
      <Fact name="Id">
        <span className="flex h-5 items-center font-mono text-xs">
          {job.id}
          <CopyButton label="Copy the id" text={() => job.id} />
        </span>
      </Fact>
    </dl>
  );
}

function Times({ job }: { job: Job }) {
  if (job.started_at === null) {
    return (
      <Fact name={job.finished_at === null ? "Waits for" : "Waited"}>
        <Elapsed from={job.created_at} to={job.finished_at} />
      </Fact>
    );
  }
  if (job.status === "queued") return null;
  return (
    <Fact name={job.finished_at === null ? "Runs for" : "Took"}>
      <Elapsed from={job.started_at} to={job.finished_at} />
    </Fact>
  );
}

// One step of a run, or one item of it: what became of it, what it made, and its log.
import type { RunDetail, RunStep } from "@croft/contract";
import { Link } from "@tanstack/react-router";
import { Table2 } from "lucide-react";
import { type ReactNode, type RefObject, useId } from "react";
import { shortId } from "../jobs/describe-job.ts";
import { type ChosenStep, hasBegun, itemsWords } from "../runs/run-steps.ts";
import { sentence } from "../sentence.ts";
import { AssetList } from "./asset-list.tsx";
import { CodeText } from "./code-text.tsx";
import { Elapsed } from "./elapsed.tsx";
import { Fact, factLink } from "./fact.tsx";
import { JobLogPanel } from "./job-log.tsx";
import { MatrixTable } from "./matrix-table.tsx";
import { Notice } from "./notice.tsx";
import { RelativeTime } from "./relative-time.tsx";
import { RetryFromStep } from "./run-actions.tsx";
import { CommitId } from "./run-facts.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { StepLink } from "./step-link.tsx";
import { StepReport } from "./step-report.tsx";
import { ValueList } from "./value-list.tsx";

export interface StepDetailProps {
  run: RunDetail;
  chosen: ChosenStep;
  /** Takes the focus when another step is chosen. */
  heading: RefObject<HTMLHeadingElement | null>;
}

export function StepDetail({ run, chosen, heading }: StepDetailProps) {
  const id = useId();
  const { shown, items } = chosen;
  const name = shown.item === null ? shown.name : `${shown.name} / ${shown.item}`;
  return (
    <div className="min-w-0 space-y-4">
      <section
        aria-labelledby={id}
        className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
      >
        <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2">
          <StatusBadge status={shown.status} />
          <h2
            ref={heading}
            id={id}
            tabIndex={-1}
            className="min-w-0 break-all font-semibold text-lg"
          >
            {name}
          </h2>
          <div className="ml-auto">
            <RetryFromStep run={run} step={shown.step} isItem={shown.item !== null} />
          </div>
        </header>
        {items.length > 0 && (
          <div className="border-line border-b">
            <p className="flex items-center gap-2 px-4 pt-3 font-medium text-sm">
              <Table2 className="size-4 text-ink-faint" aria-hidden />
              Matrix
              <span className="font-normal text-ink-faint text-xs">{itemsWords(chosen)}</span>
            </p>
            <MatrixTable runId={run.id} items={items} chosen={shown.item} />
          </div>
        )}
        <div className="space-y-4 p-4">
          <StepFacts run={run} step={shown} />
          <Outcome run={run} step={shown} hasItems={items.length > 0} />
        </div>
      </section>
      {shown.job_id !== null && (
        <JobLogPanel key={shown.job_id} jobId={shown.job_id} emptyWords={emptyLog(shown)} />
      )}
    </div>
  );
}

const kinds: Record<RunStep["kind"], string> = {
  run: "command",
  uses: "another pipeline",
  integrate: "integration",
  approval: "approval",
  publish: "publication",
  comment: "comment",
};

function StepFacts({ run, step }: { run: RunDetail; step: RunStep }) {
  const { workspace, kind } = step.report ?? {};
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-3">
      <Fact name="Kind">{kinds[step.kind]}</Fact>
      <Times step={step} />
      {step.attempt !== null && step.attempt > 1 && <Fact name="Attempt">{step.attempt}</Fact>}
      {step.needs.length > 0 && (
        <Fact name="Needs">
          <span className="flex flex-wrap gap-x-2">
            {step.needs.map((need) => (
              <StepLink key={need} runId={run.id} step={need} className={factLink}>
                {need}
              </StepLink>
            ))}
          </span>
        </Fact>
      )}
      {step.decided_by !== null && (
        <Fact name="Decided by">
          {step.decided_by}
          {step.decided_at !== null && (
            <>
              {", "}
              <RelativeTime time={step.decided_at} isPast />
            </>
          )}
        </Fact>
      )}
      {step.branch !== null && <Fact name="Branch">{step.branch}</Fact>}
      {step.commit !== null && (
        <Fact name="Commit">
          <CommitId commit={step.commit} />
        </Fact>
      )}
      {typeof workspace === "string" && (
        <Fact name="Workspace">
          {workspace} {typeof kind === "string" && `(${kind})`}
        </Fact>
      )}
      {step.job_id !== null && (
        <Fact name="Job">
          <Link
            to="/jobs/$id"
            params={{ id: step.job_id }}
            className={`font-mono text-xs ${factLink}`}
          >
            {shortId(step.job_id)}
          </Link>
        </Fact>
      )}
      {step.run_id !== null && (
        <Fact name="Run">
          <Link to="/runs/$id" params={{ id: step.run_id }} search={{}} className={factLink}>
            run {shortId(step.run_id)}
          </Link>
        </Fact>
      )}
    </dl>
  );
}

function Times({ step }: { step: RunStep }) {
  if (!hasBegun(step) || step.started_at === null) return null;
  const goesOn = step.status === "waiting" ? "Waits for" : "Runs for";
  return (
    <>
      <Fact name="Started">
        <RelativeTime time={step.started_at} isPast />
      </Fact>
      <Fact name={step.finished_at === null ? goesOn : "Took"}>
        <Elapsed from={step.started_at} to={step.finished_at} />
      </Fact>
    </>
  );
}

interface OutcomeProps {
  run: RunDetail;
  step: RunStep;
  hasItems: boolean;
}

function Outcome({ run, step, hasItems }: OutcomeProps) {
  // Branch by branch, which is easier to read than the message.
  const isToldByConflicts = step.error?.code === "conflicts" && step.integration !== null;
  const mayHaveFiles = step.kind === "run" && !hasItems && step.status === "done";
  return (
    <>
      {step.message !== null && step.status !== "waiting" && (
        <Part title="Question">
          <p className="whitespace-pre-wrap break-words text-sm">{step.message}</p>
        </Part>
      )}
      {step.reason !== null && <p className="text-ink-soft text-sm">{sentence(step.reason)}</p>}
      {step.error !== null && !isToldByConflicts && (
        <Notice
          tone={step.status === "failed" ? "bad" : "warn"}
          title={sentence(step.error.message)}
        >
          <CodeText>{`\`${step.error.code}\``}</CodeText>
        </Notice>
      )}
      <StepReport step={step} />
      {step.matrix !== null && (
        <Part title="Matrix values">
          <ValueList label="Matrix values of the item" values={step.matrix} />
        </Part>
      )}
      {Object.keys(step.outputs).length > 0 && (
        <Part title="Outputs">
          <ValueList label="Outputs of the step" values={step.outputs} />
        </Part>
      )}
      {step.summary !== null && (
        <Part title="Summary">
          <section
            aria-label="Summary of the step"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
            tabIndex={0}
            className="max-h-96 overflow-y-auto whitespace-pre-wrap break-words text-sm"
          >
            {step.summary}
          </section>
        </Part>
      )}
      {mayHaveFiles && step.job_id !== null && (
        <Part title="Artifacts">
          <AssetList
            filter={{ run: run.id, job: step.job_id, kind: "artifact" }}
            state={step.finished_at ?? ""}
            emptyWords="It made none."
          />
        </Part>
      )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1.5 text-ink-faint text-xs">{title}</h3>
      {children}
    </div>
  );
}

function emptyLog({ status }: RunStep): string {
  if (status === "queued") return "The log begins when the step starts.";
  return status === "running" ? "It has written nothing yet." : "It wrote nothing.";
}

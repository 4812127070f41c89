// One run of a pipeline: its steps as a picture and in time, and everything about the one that is chosen.
import type { RunDetail } from "@croft/contract";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { ChartGantt, FileCode2, LogIn, LogOut, Package } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { AssetList } from "../components/asset-list.tsx";
import { Breadcrumb } from "../components/breadcrumb.tsx";
import { CodeBlock } from "../components/code-block.tsx";
import { CodeText } from "../components/code-text.tsx";
import { factLink } from "../components/fact.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Notice } from "../components/notice.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { Panel } from "../components/panel.tsx";
import { PendingPage } from "../components/pending-page.tsx";
import { ProblemNotice } from "../components/problem-notice.tsx";
import { RunActions } from "../components/run-actions.tsx";
import { RunApproval } from "../components/run-approval.tsx";
import { RunFacts } from "../components/run-facts.tsx";
import { isCancelling } from "../components/run-table.tsx";
import { RunWorkspaces } from "../components/run-workspaces.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { StepDetail } from "../components/step-detail.tsx";
import { StepGraph } from "../components/step-graph.tsx";
import { StepWaterfall } from "../components/step-waterfall.tsx";
import { ValueList } from "../components/value-list.tsx";
import { shortId } from "../jobs/describe-job.ts";
import type { StepSearch } from "../runs/run-search.ts";
import { chosenStep, stepGroups, waitingSteps } from "../runs/run-steps.ts";
import { useRun } from "../runs/use-run.ts";
import { sentence } from "../sentence.ts";

export function RunPage() {
  const { id } = useParams({ from: "/app/runs/$id" });
  // Another run is another page: nothing of the last one stays.
  return <RunView key={id} id={id} />;
}

function RunView({ id }: { id: string }) {
  const search = useSearch({ from: "/app/runs/$id" });
  const { data: run, error, isFetching, refetch } = useRun(id);
  if (run === undefined) {
    return <PendingPage title={`Run ${shortId(id)}`} {...{ error, isFetching, refetch }} />;
  }
  return (
    <>
      <Breadcrumb link={{ to: "/runs", search: {} }}>Runs</Breadcrumb>
      <PageHeader title={`${run.name} #${run.number}`}>
        <div className="flex flex-wrap items-center gap-2">
          <LiveMark />
          <RunActions run={run} />
        </div>
      </PageHeader>
      <div className="space-y-4">
        <div role="alert" className="empty:hidden">
          {error !== null && <ProblemNotice error={error} />}
        </div>
        <Summary run={run} />
        <Steps run={run} search={search} />
        <Rest run={run} />
      </div>
    </>
  );
}

function Summary({ run }: { run: RunDetail }) {
  const isFailure = run.status === "failed";
  return (
    <section
      aria-label="Summary"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <div className="space-y-4 p-4">
        <StatusBadge status={run.status} isCancelling={isCancelling(run)} />
        <RunFacts run={run} />
      </div>
      {run.status === "queued" && (
        <p className="border-line border-t bg-sunken px-4 py-3 text-ink-soft text-sm">
          {run.key === null ? (
            "It waits for a worker."
          ) : (
            <CodeText>{`It waits for a worker, or for its turn in the lane \`${run.key}\`.`}</CodeText>
          )}
        </p>
      )}
      {waitingSteps(run).map((step) => (
        <RunApproval key={step.step} run={run} step={step} />
      ))}
      {run.error !== null && (
        <Notice
          tone={isFailure ? "bad" : "warn"}
          title={sentence(run.error.message)}
          className="border-t"
        >
          <CodeText>{`\`${run.error.code}\``}</CodeText>
        </Notice>
      )}
    </section>
  );
}

function Steps({ run, search }: { run: RunDetail; search: StepSearch }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusChosen(heading, search);
  const groups = stepGroups(run.steps);
  const chosen = chosenStep(groups, search);
  const step = chosen?.step.step;
  if (groups.length === 0) return null;
  return (
    <>
      {groups.length > 1 && (
        <section
          aria-label="Graph"
          className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
        >
          <StepGraph runId={run.id} groups={groups} chosen={step} />
        </section>
      )}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
        <Panel title="Steps" icon={ChartGantt} aside={countWords(run)}>
          <div className="relative -mx-2 -my-2 max-h-[min(70dvh,44rem)] overflow-y-auto px-2 py-1 max-lg:max-h-80">
            <StepWaterfall runId={run.id} groups={groups} chosen={step} />
          </div>
        </Panel>
        {chosen === undefined ? (
          <Notice tone="warn" title={`There is no step ${search.step ?? ""} in this run`}>
            Choose another one.
          </Notice>
        ) : (
          <StepDetail run={run} chosen={chosen} heading={heading} />
        )}
      </div>
    </>
  );
}

/** A choice shows its step even where that is far from what was pressed. */
function useFocusChosen(
  heading: RefObject<HTMLHeadingElement | null>,
  { step, item }: StepSearch,
): void {
  const key = JSON.stringify([step, item]);
  const last = useRef(key);
  useEffect(() => {
    if (last.current === key) return;
    last.current = key;
    heading.current?.focus();
  }, [heading, key]);
}

function countWords({ steps }: RunDetail): string {
  const own = steps.filter(({ item }) => item === null);
  const ended = own.filter(({ finished_at }) => finished_at !== null).length;
  return `${ended} of ${own.length} ended`;
}

function Rest({ run }: { run: RunDetail }) {
  const ended = run.steps.filter(({ finished_at }) => finished_at !== null).length;
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2 lg:*:only:col-span-2">
        {hasValues(run.inputs) && (
          <Panel title="Inputs" icon={LogIn}>
            <ValueList label="Inputs of the run" values={run.inputs} />
          </Panel>
        )}
        {hasValues(run.outputs) && (
          <Panel title="Outputs" icon={LogOut}>
            <ValueList label="Outputs of the run" values={run.outputs ?? {}} />
          </Panel>
        )}
        <Panel
          title="Artifacts"
          icon={Package}
          aside={
            <Link to="/assets" search={{ run: run.id }} className={factLink}>
              Show in Assets
            </Link>
          }
        >
          <div className="relative max-h-80 overflow-y-auto py-1">
            <AssetList
              filter={{ run: run.id, kind: "artifact" }}
              state={`${run.attempt} ${ended}`}
              emptyWords="No step has made one."
            />
          </div>
        </Panel>
      </div>
      <RunWorkspaces run={run} />
      <Panel title="Pipeline" icon={FileCode2} aside={run.file ?? undefined}>
        <CodeBlock label="Text of the pipeline">{run.text}</CodeBlock>
      </Panel>
    </>
  );
}

function hasValues(values: Readonly<Record<string, unknown>> | null): boolean {
  return values !== null && Object.keys(values).length > 0;
}

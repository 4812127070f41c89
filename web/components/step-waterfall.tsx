// The steps of a run on one scale of time: what ran beside what, and how long it took.
import type { RunStep } from "@croft/contract";
import { hasBegun, itemsWords, type StepGroup } from "../runs/run-steps.ts";
import { type TimeScale, timeScale } from "../runs/time-scale.ts";
import { useNow } from "../use-now.ts";
import { Elapsed } from "./elapsed.tsx";
import { StatusMark } from "./status-badge.tsx";
import { StepLink } from "./step-link.tsx";

export interface StepWaterfallProps {
  runId: string;
  groups: readonly StepGroup[];
  chosen: string | undefined;
}

const bars: Record<RunStep["status"], string> = {
  pending: "bg-line-strong",
  queued: "bg-line-strong",
  running: "bg-run-mark",
  waiting: "bg-warn-mark",
  done: "bg-ok",
  failed: "bg-bad-mark",
  skipped: "bg-line-strong",
  cancelled: "bg-line-strong",
};

export function StepWaterfall({ runId, groups, chosen }: StepWaterfallProps) {
  const nowMs = useNow(1_000).getTime();
  // A night until somebody answers is a pause like any other.
  const worked = groups.filter(({ step }) => step.kind !== "approval" && hasBegun(step));
  const scale = timeScale(worked.map(({ step }) => intervalOf(step, nowMs)));
  return (
    <ol aria-label="Steps" className="-mx-2">
      {groups.map((group) => (
        <li key={group.step.step}>
          <StepLink
            runId={runId}
            step={group.step.step}
            isChosen={group.step.step === chosen}
            className="block rounded-md px-2 py-1.5 text-sm hover:bg-hover data-[chosen=true]:bg-hover"
          >
            <Words group={group} />
            <Bar step={group.step} scale={scale} nowMs={nowMs} />
          </StepLink>
        </li>
      ))}
    </ol>
  );
}

function Words({ group }: { group: StepGroup }) {
  const { step } = group;
  return (
    <span className="flex items-center gap-2">
      <StatusMark status={step.status} />
      <span className="min-w-0 flex-1 truncate" title={step.name}>
        {step.name}
      </span>
      <span className="shrink-0 text-ink-soft text-xs tabular-nums">
        {itemsWords(group) ??
          (hasBegun(step) && step.started_at !== null ? (
            <Elapsed from={step.started_at} to={step.finished_at} />
          ) : null)}
      </span>
    </span>
  );
}

interface BarProps {
  step: RunStep;
  scale: TimeScale;
  nowMs: number;
}

/** For the eye: the words say how long it ran. */
function Bar({ step, scale, nowMs }: BarProps) {
  const { startMs, endMs } = intervalOf(step, nowMs);
  const [from, to] = [Math.min(99, scale(startMs) * 100), scale(endMs) * 100];
  return (
    <span
      aria-hidden
      className="relative mt-1 ml-6 block h-1.5 overflow-hidden rounded-sm bg-sunken"
    >
      {hasBegun(step) && (
        <span
          className={`absolute inset-y-0 rounded-sm ${bars[step.status]}`}
          style={{ left: `${from}%`, width: `max(3px, ${to - from}%)` }}
        />
      )}
    </span>
  );
}

function intervalOf({ started_at, finished_at }: RunStep, nowMs: number) {
  const startMs = started_at === null ? nowMs : Date.parse(started_at);
  const endMs = finished_at === null ? nowMs : Date.parse(finished_at);
  return { startMs, endMs: Math.max(startMs, endMs) };
}

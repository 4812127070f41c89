// What happened to a job, in order, with the time since the one before.
import type { Event } from "@croft/contract";
import { formatElapsed } from "../format-duration.ts";
import { formatClock, formatExact } from "../format-time.ts";
import { Skeleton } from "./skeleton.tsx";

const faces: Record<string, { words: string; dot: string }> = {
  "job.queued": { words: "Queued", dot: "bg-line-strong" },
  "job.started": { words: "Started", dot: "bg-run-mark" },
  "workspace.created": { words: "Workspace made", dot: "bg-line-strong" },
  "workspace.removed": { words: "Workspace removed", dot: "bg-line-strong" },
  "job.retrying": { words: "Back in line", dot: "bg-warn-mark" },
  "job.done": { words: "Done", dot: "bg-ok" },
  "job.failed": { words: "Failed", dot: "bg-bad-mark" },
  "job.cancelled": { words: "Cancelled", dot: "bg-line-strong" },
};

export function JobTimeline({ events }: { events: readonly Event[] | undefined }) {
  if (events === undefined) return <Skeleton className="h-24 w-full" />;
  // Progress comes often, and its last word stands at the top of the page.
  const steps = events.filter(({ type }) => type !== "job.progress");
  if (steps.length === 0) {
    return <p className="text-ink-faint text-sm">Events are kept for 30 days.</p>;
  }
  return (
    <ol>
      {steps.map((event, index) => (
        <Step
          key={event.seq}
          event={event}
          before={steps[index - 1]}
          isLast={index === steps.length - 1}
        />
      ))}
    </ol>
  );
}

interface StepProps {
  event: Event;
  before: Event | undefined;
  isLast: boolean;
}

function Step({ event, before, isLast }: StepProps) {
  const { words, dot } = faces[event.type] ?? { words: event.type, dot: "bg-line-strong" };
  const time = new Date(event.at);
  return (
    <li className="relative flex gap-3 pb-3 text-sm last:pb-0">
      {!isLast && (
        <span aria-hidden className="absolute top-3 bottom-0 left-[3.5px] w-px bg-line" />
      )}
      <span aria-hidden className={`relative mt-1.5 size-2 shrink-0 rounded-full ${dot}`} />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline justify-between gap-2">
          <span>{words}</span>
          <time
            dateTime={event.at}
            title={formatExact(time)}
            className="text-ink-faint text-xs tabular-nums"
          >
            {formatClock(time)}
          </time>
        </p>
        <p className="break-words text-ink-faint text-xs empty:hidden">{describe(event, before)}</p>
      </div>
    </li>
  );
}

function describe({ type, data, at }: Event, before: Event | undefined): string {
  const since = before && `after ${formatElapsed(Date.parse(at) - Date.parse(before.at))}`;
  const attempt = type === "job.started" ? `attempt ${String(data["attempt"])}` : undefined;
  const outcome = typeof data["outcome"] === "string" ? data["outcome"] : undefined;
  const workspace = typeof data["workspace"] === "string" ? data["workspace"] : undefined;
  return [workspace, attempt, outcome, since].filter((part) => part !== undefined).join(", ");
}

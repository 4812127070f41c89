// The attempts of a job on one scale of time: how long each waited and ran, and how it ended.
import type { JobAttempt } from "../jobs/job-attempts.ts";
import { sentence } from "../sentence.ts";
import { useNow } from "../use-now.ts";
import { Elapsed } from "./elapsed.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface JobAttemptsProps {
  attempts: readonly JobAttempt[];
  /** False while they are being fetched. */
  isKnown: boolean;
}

const faces: Record<JobAttempt["outcome"], { words: string; bar: string; text: string }> = {
  running: { words: "runs", bar: "bg-run-mark", text: "text-run" },
  done: { words: "done", bar: "bg-ok", text: "text-accent" },
  failed: { words: "failed", bar: "bg-bad-mark", text: "text-bad" },
  cancelled: { words: "cancelled", bar: "bg-line-strong", text: "text-ink-soft" },
  lost: { words: "lost", bar: "bg-warn-mark", text: "text-warn" },
  drained: { words: "drained", bar: "bg-warn-mark", text: "text-warn" },
};

export function JobAttempts({ attempts, isKnown }: JobAttemptsProps) {
  const now = useNow(1_000).getTime();
  if (!isKnown) return <Skeleton className="h-10 w-full" />;
  if (attempts.length === 0) return <p className="text-ink-faint text-sm">None has begun.</p>;
  const start = Date.parse(attempts[0]?.queuedAt ?? "");
  const last = attempts.at(-1);
  const end = last?.endedAt === undefined ? Math.max(now, start + 1) : Date.parse(last.endedAt);
  return (
    <ol className="space-y-3">
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} scale={{ start, end }} />
      ))}
    </ol>
  );
}

function Attempt({ attempt, scale }: { attempt: JobAttempt; scale: Scale }) {
  const { number, outcome, startedAt, endedAt, error } = attempt;
  const { words, text } = faces[outcome];
  return (
    <li className="text-sm">
      <p className="flex items-baseline gap-2">
        <span className="font-medium">{number}</span>
        <span className={text}>{words}</span>
        <span className="ml-auto text-ink-soft tabular-nums">
          <Elapsed from={startedAt} to={endedAt} />
        </span>
      </p>
      <Bar attempt={attempt} scale={scale} />
      {error !== undefined && (
        <p className="mt-1 break-words text-ink-soft text-xs">{sentence(error.message)}</p>
      )}
    </li>
  );
}

interface Scale {
  start: number;
  end: number;
}

/** For the eye: the words say how long it ran. The pale part is the time in line. */
function Bar({ attempt, scale }: { attempt: JobAttempt; scale: Scale }) {
  const share = (time: string | undefined) => {
    const at = time === undefined ? scale.end : Date.parse(time);
    return Math.min(100, ((at - scale.start) / Math.max(1, scale.end - scale.start)) * 100);
  };
  const [queued, started, ended] = [attempt.queuedAt, attempt.startedAt, attempt.endedAt].map(
    share,
  );
  const place = (from = 0, to = 0) => ({ left: `${from}%`, width: `max(3px, ${to - from}%)` });
  return (
    <div aria-hidden className="relative mt-1 h-2 overflow-hidden rounded-sm bg-sunken">
      <div className="absolute inset-y-0 bg-line-strong" style={place(queued, started)} />
      <div
        className={`absolute inset-y-0 rounded-sm ${faces[attempt.outcome].bar}`}
        style={place(Math.min(started ?? 0, 99), ended)}
      />
    </div>
  );
}

// A bar that shows how much of something is used. For the eye only: the page says the same in words beside it.

export interface MeterProps {
  /** Between 0 and 1. */
  share: number;
  tone: "ok" | "warn" | "bad";
}

const fills = { ok: "bg-ok", warn: "bg-warn-mark", bad: "bg-bad-mark" } as const;

export function Meter({ share, tone }: MeterProps) {
  const percent = Math.min(100, Math.max(0, share * 100));
  return (
    <div aria-hidden className="h-2 overflow-hidden rounded-sm bg-sunken">
      <div className={`h-full rounded-sm ${fills[tone]}`} style={{ width: `${percent}%` }} />
    </div>
  );
}

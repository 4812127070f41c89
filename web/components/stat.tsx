// One number that matters, with its unit and a line that says what to make of it.
import { Skeleton } from "./skeleton.tsx";

export interface StatProps {
  label: string;
  /** Undefined while it is being fetched. */
  value: string | undefined;
  unit?: string | undefined;
  note: string | undefined;
  tone?: "plain" | "warn";
}

export function Stat({ label, value, unit, note, tone = "plain" }: StatProps) {
  return (
    <div className="px-4 py-3.5">
      <dt className="text-ink-soft text-sm">{label}</dt>
      <dd>
        <span className="flex h-9 items-baseline gap-1.5">
          {value === undefined ? (
            <Skeleton className="h-7 w-20 self-center" />
          ) : (
            <span
              className={`font-semibold text-2xl tabular-nums tracking-tight ${tone === "warn" ? "text-warn" : ""}`}
            >
              {value}
            </span>
          )}
          {value !== undefined && <span className="text-ink-faint text-sm">{unit}</span>}
        </span>
        <span className="block min-h-4 text-ink-faint text-xs">{note}</span>
      </dd>
    </div>
  );
}

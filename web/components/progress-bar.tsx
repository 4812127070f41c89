// How far something is: a bar that grows, or one that only says that it goes on.

export interface ProgressBarProps {
  label: string;
  /** Between 0 and 1; null where nobody knows. */
  share: number | null;
  className?: string;
}

export function ProgressBar({ label, share, className = "h-1.5" }: ProgressBarProps) {
  const percent = share === null ? undefined : percentOf(share);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={`overflow-hidden rounded-sm bg-sunken ${className}`}
    >
      <div
        className={`h-full rounded-sm bg-run-mark ${percent === undefined ? "w-full opacity-35 motion-safe:animate-pulse" : "transition-[width] duration-300"}`}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  );
}

export function percentOf(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 100);
}

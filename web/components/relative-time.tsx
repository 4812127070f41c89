// "2 minutes ago", with the exact time on hover.
import { formatExact, formatRelative } from "../format-time.ts";
import { useNow } from "../use-now.ts";

const renewMs = 30_000;

export function RelativeTime({ time }: { time: string }) {
  const now = useNow(renewMs);
  const date = new Date(time);
  return (
    <time dateTime={time} title={formatExact(date)}>
      {formatRelative(date, now)}
    </time>
  );
}

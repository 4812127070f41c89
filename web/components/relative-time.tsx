// "2 minutes ago", with the exact time on hover.
import { formatExact, formatRelative } from "../format-time.ts";
import { useNow } from "../use-now.ts";

const renewMs = 30_000;

export interface RelativeTimeProps {
  time: string;
  /** It lies behind, whatever the clocks of server and reader say: never "in less than a minute". */
  isPast?: boolean;
}

export function RelativeTime({ time, isPast = false }: RelativeTimeProps) {
  const now = useNow(renewMs);
  const date = new Date(time);
  const until = isPast && date > now ? date : now;
  return (
    <time dateTime={time} title={formatExact(date)}>
      {formatRelative(date, until)}
    </time>
  );
}

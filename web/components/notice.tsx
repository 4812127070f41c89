// A message that stands out of the page: something to know, to look at, or that failed.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const tones = {
  info: { icon: Info, box: "border-line bg-sunken", mark: "text-ink-soft" },
  ok: { icon: CircleCheck, box: "border-line bg-accent-soft", mark: "text-accent" },
  warn: { icon: TriangleAlert, box: "border-warn-line bg-warn-soft", mark: "text-warn" },
  bad: { icon: CircleAlert, box: "border-bad-line bg-bad-soft", mark: "text-bad" },
} as const;

export interface NoticeProps {
  tone: keyof typeof tones;
  title: string;
  children?: ReactNode;
  /** A button at the end. */
  action?: ReactNode;
}

export function Notice({ tone, title, children, action }: NoticeProps) {
  const { icon: Icon, box, mark } = tones[tone];
  return (
    <div
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border px-3.5 py-3 ${box}`}
    >
      <Icon className={`mt-0.75 size-4 shrink-0 ${mark}`} aria-hidden />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className="text-ink-soft text-sm">{children}</div>}
      </div>
      {action}
    </div>
  );
}

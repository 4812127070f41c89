// A message that stands out of its surroundings: something to look at, or that failed.
import { CircleAlert, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const tones = {
  warn: { icon: TriangleAlert, box: "border-warn-line bg-warn-soft", mark: "text-warn" },
  bad: { icon: CircleAlert, box: "border-bad-line bg-bad-soft", mark: "text-bad" },
} as const;

export interface NoticeProps {
  tone: keyof typeof tones;
  title: string;
  children: ReactNode;
  /** Its edge; a notice inside of a panel has only a line above. */
  className?: string;
}

export function Notice({ tone, title, children, className = "rounded-lg border" }: NoticeProps) {
  const { icon: Icon, box, mark } = tones[tone];
  return (
    <div className={`flex gap-3 px-4 py-3 ${box} ${className}`}>
      <Icon className={`mt-0.75 size-4 shrink-0 ${mark}`} aria-hidden />
      <div className="min-w-0">
        <p className="break-words font-medium">{title}</p>
        <div className="text-ink-soft text-sm empty:hidden">{children}</div>
      </div>
    </div>
  );
}

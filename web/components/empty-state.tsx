// Says that there is nothing yet, and how there will be something.
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}

export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center rounded-lg border border-line border-dashed px-5 py-12 text-center">
      <span className="mb-4 grid size-10 place-items-center rounded-lg border border-line bg-surface text-ink-faint shadow-card">
        <Icon className="size-5" aria-hidden />
      </span>
      <h2 className="font-semibold text-lg">{title}</h2>
      <div className="mt-1 flex w-full flex-col items-center gap-4 text-ink-soft text-balance">
        {children}
      </div>
    </div>
  );
}

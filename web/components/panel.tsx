// A titled box that groups what belongs together.
import type { LucideIcon } from "lucide-react";
import { type ReactNode, useId } from "react";

export interface PanelProps {
  title: string;
  icon: LucideIcon;
  /** At the end of the title's line. */
  aside?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, icon: Icon, aside, children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="flex flex-col rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="flex h-11 items-center gap-2 border-line border-b px-4">
        <Icon className="size-4 text-ink-faint" aria-hidden />
        <h2 id={id} className="font-medium text-sm">
          {title}
        </h2>
        <div className="ml-auto text-ink-faint text-xs">{aside}</div>
      </header>
      <div className="flex-1 p-4">{children}</div>
    </section>
  );
}

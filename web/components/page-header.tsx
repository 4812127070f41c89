// The heading of a page, the title of its tab, and its actions.
import type { ReactNode } from "react";

export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className="mb-5 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <title>{`${title} · Croft`}</title>
      <h1 tabIndex={-1} className="wrap-anywhere min-w-0 font-semibold text-xl tracking-tight">
        {title}
      </h1>
      {children}
    </header>
  );
}

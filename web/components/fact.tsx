// One property of a thing: its name above its value. Stands in a `dl`.
import type { ReactNode } from "react";

export const factLink =
  "underline decoration-line-strong underline-offset-4 hover:decoration-current";

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-ink-faint text-xs">{name}</dt>
      <dd className="break-all text-sm tabular-nums">{children}</dd>
    </div>
  );
}

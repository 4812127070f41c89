// Names and values, one pair a line, the values in one column.
import type { ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

/** An undefined value is still being fetched. */
export type Fact = readonly [name: string, value: ReactNode | undefined];

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="-my-2 divide-y divide-line text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex items-center justify-between gap-4 py-2">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="min-w-0 text-right tabular-nums">
            {value === undefined ? <Skeleton className="my-0.5 h-4 w-16" /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

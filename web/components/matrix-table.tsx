// The items of a step with a matrix: what each was given and what became of it.
import type { RunStep } from "@croft/contract";
import { failedFirst, hasBegun } from "../runs/run-steps.ts";
import { Elapsed } from "./elapsed.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { StepLink } from "./step-link.tsx";

export interface MatrixTableProps {
  runId: string;
  items: readonly RunStep[];
  chosen: string | null;
}

const head = "sticky top-0 bg-surface px-3 py-2 text-left font-normal first:pl-4 last:pr-4";
const cell = "px-3 py-2 first:pl-4 last:pr-4";
/** More would be a table nobody can read; the whole is shown with the item. */
const columnsMax = 4;

export function MatrixTable({ runId, items, chosen }: MatrixTableProps) {
  const names = columnsOf(items);
  return (
    <div className="relative max-h-80 overflow-auto">
      <table className="w-full text-sm">
        <caption className="sr-only">Items of the matrix</caption>
        <thead className="text-ink-faint text-xs">
          <tr>
            <th className={`${head} w-28`}>Status</th>
            <th className={head}>Item</th>
            {names.map((name) => (
              <th key={name} className={`${head} max-md:hidden`}>
                {name}
              </th>
            ))}
            <th className={`${head} w-28`}>Took</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-line border-t">
          {failedFirst(items).map((item) => (
            <ItemRow
              key={item.item}
              {...{ runId, item, names }}
              isChosen={item.item === chosen && chosen !== null}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ItemRowProps {
  runId: string;
  item: RunStep;
  names: readonly string[];
  isChosen: boolean;
}

function ItemRow({ runId, item, names, isChosen }: ItemRowProps) {
  return (
    <tr data-chosen={isChosen} className="relative hover:bg-hover data-[chosen=true]:bg-hover">
      <td className={cell}>
        <StatusBadge status={item.status} />
      </td>
      <td className={`${cell} break-all`}>
        <StepLink
          runId={runId}
          step={item.step}
          item={item.item}
          isChosen={isChosen}
          className="font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:-outline-offset-2 focus-visible:after:outline-2 focus-visible:after:outline-accent"
        >
          {item.item}
        </StepLink>
      </td>
      {names.map((name) => (
        <td key={name} className={`${cell} max-w-48 truncate text-ink-soft max-md:hidden`}>
          {words(item.matrix?.[name])}
        </td>
      ))}
      <td className={`${cell} whitespace-nowrap text-ink-soft tabular-nums`}>
        {hasBegun(item) && item.started_at !== null && (
          <Elapsed from={item.started_at} to={item.finished_at} />
        )}
      </td>
    </tr>
  );
}

function columnsOf(items: readonly RunStep[]): string[] {
  const names = new Set(items.flatMap(({ matrix }) => Object.keys(matrix ?? {})));
  // One value that is the item's own name would be told twice.
  const telling = [...names].filter((name) =>
    items.some(({ item, matrix }) => matrix !== null && words(matrix[name]) !== item),
  );
  return telling.slice(0, columnsMax);
}

function words(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Why a run cannot have the items that a matrix gives.
import { isStorable, NOT_STORABLE } from "./is-storable.ts";
import type { NewItem } from "./run-state.ts";

/** Of all its steps: whoever goes on with it looks at each of them. */
const ITEMS_MAX = 10_000;

/** `count` are those that it has already. */
export function matrixFault(items: readonly NewItem[], count: number): string | undefined {
  const lost = items.find(({ values }) => !isStorable(values));
  if (lost !== undefined) return `its matrix: item '${lost.id}' ${NOT_STORABLE}`;
  if (count + items.length <= ITEMS_MAX) return undefined;
  return `its matrix: with its ${items.length} items the run would have more than ${ITEMS_MAX}`;
}

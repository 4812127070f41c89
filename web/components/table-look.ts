// How lists of things look as a table: rows that are links as a whole, and that become cards on a narrow screen.

export const tableBox =
  "overflow-hidden rounded-lg border border-line bg-surface shadow-card transition-opacity";

export const head = "px-3 py-2 text-left font-normal first:pl-4 last:pr-4";

export const cell = "px-3 py-2.5 align-top first:pl-4 last:pr-4";

export const row =
  "relative hover:bg-hover max-sm:flex max-sm:flex-col max-sm:gap-1.5 max-sm:px-4 max-sm:py-3";

/** The first cell: on a narrow screen with what else belongs into the card's first line. */
export const leadCell = `${cell} max-sm:flex max-sm:items-center max-sm:justify-between max-sm:gap-3 max-sm:p-0!`;

/** The one link of a row, which covers all of it. */
export const rowLink =
  "block after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:-outline-offset-2 focus-visible:after:outline-2 focus-visible:after:outline-accent";

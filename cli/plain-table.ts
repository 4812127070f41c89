// Rows of text: in columns under headings on a terminal, else as lines whose fields are divided by tabs.
import pc from "picocolors";
import { plainText } from "./terminal-text.ts";

export interface TablePlace {
  readonly isTTY?: boolean | undefined;
}

/** The last column is as long as it is: nothing that somebody may want to copy is cut. */
export function plainTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { isTTY }: TablePlace = process.stdout,
): string {
  const plain = rows.map((cells) => cells.map(plainText));
  if (isTTY !== true) return plain.map((cells) => `${cells.join("\t")}\n`).join("");
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...plain.map((cells) => cells[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [pc.dim(lineOf(headings)), ...plain.map(lineOf)].map((line) => `${line}\n`).join("");
}

// Lines from pieces: however the text is cut, the same lines with the same numbers come out.
import type { LogPiece } from "@croft/contract";
import { expect, test } from "vitest";
import { findInLog, matchesIn } from "./find-in-log.ts";
import { LogLines } from "./log-lines.ts";
import { WrappedLines } from "./wrap-lines.ts";

function piece(text: string, rest: Partial<LogPiece> = {}): LogPiece {
  return { attempt: 1, stream: "stdout", at: "2026-11-16T00:00:00Z", text, ...rest };
}

function linesOf(...pieces: LogPiece[]): string[] {
  const log = new LogLines();
  for (const one of pieces) log.append(one);
  return log.lines.map(({ text }) => text);
}

test("a text is the same lines wherever it is cut", () => {
  const text = "one\n\ntwo \u001b[31mred\nthree\r\n10%\r50%\r100%\nlast";
  const whole = linesOf(piece(text));
  expect(whole).toEqual(["one", "", "two red", "three", "100%", "last"]);
  for (let cut = 1; cut < text.length; cut++) {
    expect(linesOf(piece(text.slice(0, cut)), piece(text.slice(cut)))).toEqual(whole);
  }
});

test("stdout and stderr in turns do not break each other's lines", () => {
  const stderr = { stream: "stderr" } as const;
  expect(linesOf(piece("ab"), piece("warn\n", stderr), piece("cd\n"))).toEqual(["abcd", "warn"]);
});

test("another attempt begins a line of its own, and what Croft says has no empty line before", () => {
  const croft = { stream: "croft" } as const;
  const second = { attempt: 2 };
  expect(linesOf(piece("cut"), piece("\nended\n", croft), piece("again\n", second))).toEqual([
    ...["cut", "ended", "again"],
  ]);
});

test("a line without an end is kept up to a length", () => {
  const log = new LogLines();
  for (let count = 0; count < 200; count++) log.append(piece("x".repeat(65_536)));
  expect(log.lines).toHaveLength(1);
  expect(log.lines[0]?.text.length).toBeLessThan(5_000);
});

test("wrapped rows hold every character once, with a row above another attempt", () => {
  const log = new LogLines();
  const wrapped = new WrappedLines(log, 10);
  log.append(piece("short\nexactly ten\n\nsomewhat longer than ten"));
  wrapped.grow();
  log.append(piece(" and still growing\n"));
  log.append(piece("again\n", { attempt: 2 }));
  wrapped.grow();
  const rows = wrapped.rowsBetween(0, wrapped.rowCount - 1);
  expect(rows).toHaveLength(wrapped.rowCount);
  const text = log.lines.map((_, line) =>
    rows
      .filter((row) => row.kind === "text" && row.line === line)
      .map(({ start, end }) => log.lines[line]?.text.slice(start, end))
      .join(""),
  );
  expect(text).toEqual(log.lines.map((line) => line.text));
  expect(rows.filter(({ kind }) => kind === "attempt").map(({ line }) => line)).toEqual([4]);
  expect(wrapped.rowsBetween(3, 4)).toEqual(rows.slice(3, 5));
});

test("words are found literally, in any case", () => {
  const log = new LogLines();
  log.append(piece("Error: a.b (1)\nerror a+b\nnothing\n"));
  expect(findInLog(log.lines, "ERROR")).toEqual([0, 1]);
  expect(findInLog(log.lines, "a.b (1)")).toEqual([0]);
  expect(findInLog(log.lines, "[")).toEqual([]);
  expect(matchesIn("no, No", "no")).toEqual([
    [0, 2],
    [4, 6],
  ]);
});

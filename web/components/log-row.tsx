// One row of a log: the number of its line, which is the link to it, and the text in its colours.
import { formatExact } from "../format-time.ts";
import type { AnsiColor, AnsiLook } from "../log/ansi-text.ts";
import type { LogLine } from "../log/log-lines.ts";
import { segmentsOf } from "../log/log-segments.ts";
import type { Row } from "../log/wrap-lines.ts";

export interface LogRowProps {
  row: Row;
  line: LogLine | undefined;
  words: string;
  /** Of the longest line number. */
  digits: number;
  isMarked: boolean;
}

const colors: Record<AnsiColor, string> = {
  black: "text-ink-faint",
  red: "text-ansi-red",
  green: "text-ansi-green",
  yellow: "text-ansi-yellow",
  blue: "text-ansi-blue",
  magenta: "text-ansi-magenta",
  cyan: "text-ansi-cyan",
  white: "text-ink",
};

const edges = {
  stdout: "border-transparent",
  stderr: "border-warn-mark",
  croft: "border-accent",
} as const;

export function LogRow({ row, line, words, digits, isMarked }: LogRowProps) {
  if (line === undefined) return null;
  if (row.kind === "attempt") return <AttemptRow attempt={line.attempt} />;
  const number = row.line + 1;
  return (
    <div
      className={`flex h-5 items-center whitespace-pre border-l-2 ${edges[line.stream]} ${isMarked ? "bg-log-mark" : "hover:bg-hover"}`}
    >
      {row.start === 0 ? (
        <a
          href={`#L${number}`}
          // One link a line would be thousands of stops; a link to the line in sight is in the bar above.
          tabIndex={-1}
          title={formatExact(new Date(line.at))}
          aria-label={`Line ${number}`}
          style={{ width: `${digits + 1}ch` }}
          className="mr-[2ch] shrink-0 select-none text-right text-ink-faint hover:text-ink hover:underline"
        >
          {number}
        </a>
      ) : (
        <span aria-hidden style={{ width: `${digits + 1}ch` }} className="mr-[2ch] shrink-0" />
      )}
      <span className={line.stream === "croft" ? "text-ink-soft" : ""}>
        {segmentsOf(line, row, words).map(({ start, text, look, isMatch }) => {
          const className = classesOf(look);
          if (isMatch) {
            return (
              <mark key={start} className="rounded-[2px] bg-log-match text-on-log-match">
                {text}
              </mark>
            );
          }
          return className === "" ? (
            text
          ) : (
            <span key={start} className={className}>
              {text}
            </span>
          );
        })}
      </span>
    </div>
  );
}

function AttemptRow({ attempt }: { attempt: number }) {
  return (
    <div className="flex h-5 items-center gap-3 pl-4 font-sans text-ink-soft">
      <span className="sticky left-4 font-medium">Attempt {attempt}</span>
      <span aria-hidden className="h-px flex-1 bg-line-strong" />
    </div>
  );
}

function classesOf({ color, bold, dim, italic, underline }: AnsiLook): string {
  return [
    color === undefined ? (dim ? "text-ink-soft" : "") : colors[color],
    bold ? "font-semibold" : "",
    italic ? "italic" : "",
    underline ? "underline" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}

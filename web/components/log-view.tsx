// A log of any length: only the rows in sight are in the page. Follows its end while that is in sight.
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { LogLines } from "../log/log-lines.ts";
import { WrappedLines } from "../log/wrap-lines.ts";
import { useBoxSize } from "../use-box-size.ts";
import { LogRow } from "./log-row.tsx";

/** A line to bring into sight; a new object asks once more. */
export interface LogTarget {
  readonly line: number;
}

export interface LogViewProps {
  content: LogLines;
  /** Changes whenever the content does. */
  version: number;
  words: string;
  /** Stands out. */
  target: LogTarget | undefined;
  follows: boolean;
  onFollow: (follows: boolean) => void;
  wraps: boolean;
}

const rowHeight = 20;
/** Drawn beyond both edges, so that fast scrolling shows no gap. */
const rowsBeyond = 20;
/** How near to the end counts as the end. */
const endPx = 24;
/** Besides the digits of the line number: what stands left and right of it. */
const gutterExtra = 5;

export function LogView({ content, version, wraps, ...props }: LogViewProps) {
  const { words, target, follows, onFollow } = props;
  const box = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const size = useBoxSize(box);
  const [scrollTop, setScrollTop] = useState(0);
  const digits = Math.max(3, String(content.lines.length).length);
  const columns = wraps ? columnsOf(size.width, ruler) - digits - gutterExtra : undefined;
  const wrapped = useMemo(() => new WrappedLines(content, columns), [content, columns]);
  wrapped.grow();
  const { rowCount } = wrapped;
  useLayoutEffect(() => {
    if (!follows || box.current === null) return;
    box.current.scrollTop = rowCount * rowHeight - size.height;
  }, [follows, rowCount, size.height]);
  useScrollTo(box, target, wrapped, content, version);
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - rowsBeyond);
  const last = Math.ceil((scrollTop + size.height) / rowHeight) + rowsBeyond;
  return (
    <section
      ref={box}
      aria-label="Lines of the log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        setScrollTop(scrollTop);
        onFollow(scrollHeight - scrollTop - clientHeight < endPx);
      }}
      className="relative max-h-[min(70dvh,44rem)] overflow-auto overscroll-x-contain bg-log font-mono text-xs focus-visible:-outline-offset-2"
    >
      <span ref={ruler} aria-hidden className="invisible absolute">
        {"0".repeat(100)}
      </span>
      <div
        style={{
          height: rowCount * rowHeight,
          minWidth: wraps ? undefined : `${content.columns + digits + gutterExtra}ch`,
        }}
      >
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {wrapped.rowsBetween(first, last).map((row) => (
            <LogRow
              key={`${row.kind}-${row.line}-${row.start}`}
              row={row}
              line={content.lines[row.line]}
              words={words}
              digits={digits}
              isMarked={row.line === target?.line}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

/** How many characters fit side by side; plenty while nothing is measured. */
function columnsOf(widthPx: number, ruler: RefObject<HTMLSpanElement | null>): number {
  const characterPx = (ruler.current?.getBoundingClientRect().width ?? 0) / 100;
  return characterPx === 0 ? 200 : Math.max(20, Math.floor(widthPx / characterPx));
}

/** Once for each target, as soon as the line has arrived. */
function useScrollTo(
  box: RefObject<HTMLElement | null>,
  target: LogTarget | undefined,
  wrapped: WrappedLines,
  content: LogLines,
  version: number,
): void {
  const reached = useRef<LogTarget>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the content has changed.
  useLayoutEffect(() => {
    if (box.current === null || target === undefined || target === reached.current) return;
    if (content.lines.length <= target.line) return;
    reached.current = target;
    const { scrollTop, clientHeight } = box.current;
    const top = wrapped.rowOf(target.line) * rowHeight;
    const isInSight = top >= scrollTop && top + rowHeight <= scrollTop + clientHeight;
    if (!isInSight) box.current.scrollTop = top - clientHeight / 3;
  }, [box, target, wrapped, content, version]);
}

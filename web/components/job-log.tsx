// The log of a job with its tools: follow, find, wrap, link to a line, download.
import { useLocation } from "@tanstack/react-router";
import { ArrowDownToLine, Download, ScrollText, WrapText } from "lucide-react";
import { useMemo, useState } from "react";
import { formatCount } from "../format-count.ts";
import { findInLog } from "../log/find-in-log.ts";
import { linesMax } from "../log/log-lines.ts";
import { type JobLog, useJobLog } from "../log/use-job-log.ts";
import { CopyButton } from "./copy-button.tsx";
import { LogFinder } from "./log-finder.tsx";
import { type LogTarget, LogView } from "./log-view.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { ToggleButton } from "./toggle-button.tsx";

export interface JobLogPanelProps {
  jobId: string;
  /** What to say while there is no line. */
  emptyWords: string;
}

export function JobLogPanel({ jobId, emptyWords }: JobLogPanelProps) {
  const log = useJobLog(jobId);
  const { content, version } = log;
  const linked = useLinkedLine();
  const [words, setWords] = useState("");
  const [match, setMatch] = useState<number>();
  const [found, setFound] = useState<LogTarget & { since: LogTarget | undefined }>();
  const [follows, setFollows] = useState(linked === undefined);
  const [wraps, setWraps] = useState(true);
  const matches = useMatches(log, words);
  // Whichever was chosen last: a match, or the line in the address.
  const target = found !== undefined && found.since === linked ? found : linked;
  const go = (index: number) => {
    const line = matches[index];
    if (line === undefined) return;
    setMatch(index);
    setFollows(false);
    setFound({ line, since: linked });
  };
  return (
    <section
      aria-labelledby="log-title"
      className="overflow-hidden rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-line border-b py-1.5 pr-2 pl-4">
        <ScrollText className="size-4 text-ink-faint" aria-hidden />
        <h2 id="log-title" className="font-medium text-sm">
          Log
        </h2>
        <p role="status" className="mr-auto text-ink-faint text-xs">
          {describeLog(log)}
        </p>
        <LogFinder
          words={words}
          onWords={(next) => {
            setWords(next);
            setMatch(undefined);
          }}
          matchCount={matches.length}
          match={match}
          onGo={go}
        />
        <LineLink line={target?.line} />
        <ToggleButton label="Wrap long lines" icon={WrapText} isOn={wraps} onChange={setWraps} />
        <ToggleButton
          label="Follow the end"
          icon={ArrowDownToLine}
          isOn={follows}
          onChange={setFollows}
        />
        <DownloadLink jobId={jobId} />
      </header>
      <div role="alert" className="empty:hidden">
        {log.error !== undefined && <ProblemNotice error={log.error} />}
      </div>
      {content.lines.length === 0 ? (
        <p className="bg-log px-4 py-10 text-center text-ink-faint text-sm">
          {log.state === "reading" ? "Reading the log" : emptyWords}
        </p>
      ) : (
        <LogView
          {...{ content, version, words, wraps, follows }}
          onFollow={setFollows}
          target={target}
        />
      )}
    </section>
  );
}

/** The line in the address (`#L12`); the same object as long as the address is the same. */
function useLinkedLine(): LogTarget | undefined {
  const hash = useLocation({ select: (location) => location.hash });
  return useMemo(() => {
    const [, number] = /^L(\d{1,9})$/.exec(hash) ?? [];
    return number === undefined ? undefined : { line: Math.max(0, Number(number) - 1) };
  }, [hash]);
}

function useMatches({ content, version }: JobLog, words: string): readonly number[] {
  // At once, not deferred: Enter right after the last letter has to find it. 100,000 lines take about 20 ms.
  const sought = words.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the content has changed.
  return useMemo(() => findInLog(content.lines, sought), [content, version, sought]);
}

function describeLog({ content, state }: JobLog): string {
  const { lines, left } = content;
  const count = `${formatCount(lines.length)} ${lines.length === 1 ? "line" : "lines"}`;
  if (left > 0) {
    return `The first ${formatCount(linesMax)} of ${formatCount(linesMax + left)} lines; the file has all`;
  }
  if (lines.length === 0 && state !== "broken") return "";
  if (state === "broken") return `${count}, connection lost, trying again`;
  return state === "live" ? `${count}, live` : count;
}

function LineLink({ line }: { line: number | undefined }) {
  if (line === undefined) return null;
  const text = () => `${location.origin}${location.pathname}${location.search}#L${line + 1}`;
  return <CopyButton label={`Copy the link to line ${line + 1}`} text={text} />;
}

function DownloadLink({ jobId }: { jobId: string }) {
  return (
    <a
      href={`/api/jobs/${encodeURIComponent(jobId)}/log`}
      download={`croft-${jobId}.log`}
      aria-label="Download the log"
      title="Download the log"
      className="grid size-8 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Download className="size-4" aria-hidden />
    </a>
  );
}

// The field that finds words in a log, and the steps from one match to the next.
import { ChevronDown, ChevronUp, Search } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { formatCount } from "../format-count.ts";
import { matchesMax } from "../log/find-in-log.ts";
import { useShortcuts } from "../use-shortcuts.ts";
import { Button } from "./button.tsx";

export interface LogFinderProps {
  words: string;
  onWords: (words: string) => void;
  matchCount: number;
  /** The match that is shown, counted from 0. */
  match: number | undefined;
  onGo: (match: number) => void;
}

export function LogFinder({ words, onWords, matchCount, match, onGo }: LogFinderProps) {
  const input = useRef<HTMLInputElement>(null);
  const shortcuts = useMemo(
    () => [{ keys: ["/"], label: "Find in the log", run: () => input.current?.focus() }],
    [],
  );
  useShortcuts(shortcuts);
  const step = (by: 1 | -1) => {
    const from = match ?? (by === 1 ? -1 : 0);
    onGo((from + by + matchCount) % matchCount);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && matchCount > 0) step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") onWords("");
  };
  const place = match === undefined ? "" : `${formatCount(match + 1)} of `;
  const count = `${formatCount(matchCount)}${matchCount === matchesMax ? "+" : ""}`;
  return (
    <search className="flex items-center rounded-md border border-line-strong bg-surface focus-within:border-accent max-sm:order-last max-sm:w-full">
      <Search className="ml-2 size-3.5 shrink-0 text-ink-faint" aria-hidden />
      <input
        ref={input}
        type="search"
        aria-label="Find in the log"
        placeholder="Find"
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
        className="h-7 w-32 min-w-0 flex-1 bg-transparent px-2 text-sm outline-none placeholder:text-ink-faint max-sm:h-9 max-sm:text-lg [&::-webkit-search-cancel-button]:hidden"
      />
      <span role="status" className="whitespace-nowrap text-ink-faint text-xs tabular-nums">
        {words.trim() !== "" && `${place}${count}`}
      </span>
      <Button
        look="ghost"
        className="size-7"
        aria-label="Match before"
        disabled={matchCount === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp className="size-4" aria-hidden />
      </Button>
      <Button
        look="ghost"
        className="size-7"
        aria-label="Next match"
        disabled={matchCount === 0}
        onClick={() => step(1)}
      >
        <ChevronDown className="size-4" aria-hidden />
      </Button>
    </search>
  );
}

// What the history of a commit says: when there were commits, whose, and which files they changed.
import type { HistoryRecord, PastCommit } from "@croft/git";
import { binOf, type TimeBins, timeBins } from "./time-bins.ts";
import { compareText, TopCounts } from "./top-counts.ts";

export interface AuthorActivity {
  readonly name: string;
  readonly commits: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** In the bins of the whole. */
  readonly counts: readonly number[];
}

export interface HistoryFacts {
  readonly commits: number;
  /** There are more, which were not looked at. */
  readonly isCut: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly bins: TimeBins;
  readonly counts: readonly number[];
  /** Commits with a date far from all others: no plot is stretched for them. */
  readonly oddDates: number;
  readonly authorCount: number;
  /** Most commits first. */
  readonly authors: readonly AuthorActivity[];
  /** Files by how many commits changed them, whether they are still there or not. */
  readonly changed: readonly { readonly name: string; readonly count: number }[];
}

export const COMMITS_MAX = 50_000;
/** Of all commits: there is no end to what a few small ones can name. */
const CHANGES_MAX = 10_000_000;
const AUTHORS_SHOWN = 12;
const CHANGED_KEPT = 500;
/** Paths that are counted at a time. */
const COUNTED = { namesMax: 300_000, lengthMax: 32 * 1024 * 1024 };
/** Clocks of 2100 are wrong. */
const TIME_MAX = 4_102_444_800;

interface Author {
  readonly name: string;
  readonly times: number[];
}

/** `history` has at most one commit more than `COMMITS_MAX`: it says that there are others. */
export async function gatherHistory(
  history: AsyncIterable<readonly HistoryRecord[]>,
  onCommits: (count: number) => void,
  changesMax = CHANGES_MAX,
): Promise<HistoryFacts> {
  const authors = new Map<string, Author>();
  const changed = new TopCounts(COUNTED);
  const times: number[] = [];
  let changes = 0;
  let isCut = false;
  for await (const records of history) {
    for (const record of records) {
      isCut = "path" in record ? changes === changesMax : times.length === COMMITS_MAX;
      if (isCut) break;
      if ("path" in record) {
        changes++;
        changed.add(record.path.toString("utf8"));
      } else {
        const time = Math.min(Math.max(0, record.commit.committedAt), TIME_MAX);
        times.push(time);
        authorOf(authors, record.commit).times.push(time);
      }
    }
    onCommits(times.length);
    if (isCut) break;
  }
  const { from, to } = usualSpan(times);
  const bins = timeBins(from, to);
  const isUsual = (time: number) => time >= from && time <= to;
  const usual = times.filter(isUsual);
  return {
    ...{ commits: times.length, isCut, firstAt: from, lastAt: to, bins },
    ...{ counts: countsIn(bins, usual), oddDates: times.length - usual.length },
    authorCount: authors.size,
    authors: [...authors.values()]
      .sort(
        (left, right) =>
          right.times.length - left.times.length || compareText(left.name, right.name),
      )
      .slice(0, AUTHORS_SHOWN)
      .map(({ name, times: own }) => activityOf(name, own.filter(isUsual), own.length, bins)),
    changed: changed.top(CHANGED_KEPT),
  };
}

/** With the newest name. */
function authorOf(authors: Map<string, Author>, { author, email }: PastCommit): Author {
  const key = (email || author).toLowerCase();
  const known = authors.get(key) ?? { name: author || email, times: [] };
  authors.set(key, known);
  return known;
}

function activityOf(
  name: string,
  times: readonly number[],
  commits: number,
  bins: TimeBins,
): AuthorActivity {
  const sorted = [...times].sort((left, right) => left - right);
  const [firstAt = 0] = sorted;
  return { name, commits, firstAt, lastAt: sorted.at(-1) ?? 0, counts: countsIn(bins, times) };
}

/** All but a few that lie further out than the others are wide. */
function usualSpan(times: readonly number[]): { readonly from: number; readonly to: number } {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? 0;
  const [low, high] = [at(0.005), at(0.995)];
  const reach = Math.max(high - low, 30 * 86_400);
  const usual = sorted.filter((time) => time >= low - reach && time <= high + reach);
  return { from: usual[0] ?? 0, to: usual.at(-1) ?? 0 };
}

function countsIn(bins: TimeBins, times: readonly number[]): number[] {
  const counts = bins.starts.map(() => 0);
  for (const time of times) {
    const index = binOf(bins, time);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

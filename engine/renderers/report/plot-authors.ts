// Who made the commits: a bar for each, and when in small.
import { coordinate, countText, dayText, percentText, pluralText } from "./figures.ts";
import type { AuthorActivity, HistoryFacts } from "./gather-history.ts";
import { html, type Markup, shownName } from "./markup.ts";

/** More would be a line of hair. */
const SPARK_BINS = 40;
const SPARK_HEIGHT = 20;

export function plotAuthors({ authors, authorCount, commits }: HistoryFacts): Markup {
  const most = Math.max(1, ...authors.map((author) => author.commits));
  const rows = authors.map((author) => {
    const period =
      author.lastAt === 0 ? "" : `${dayText(author.firstAt)} – ${dayText(author.lastAt)}`;
    const share = percentText(author.commits, commits);
    return html`<li>
<span class="who">${shownName(author.name)}<small>${period}</small></span>
${sparkOf(author)}
<span class="figure"><b>${countText(author.commits)}</b><small>${share}</small></span>
${barOf(author.commits / most)}
</li>`;
  });
  const others = authorCount - authors.length;
  const shown = authors.reduce((sum, author) => sum + author.commits, 0);
  const rest =
    others === 0
      ? html``
      : html`<p class="note">And ${pluralText(others, "other")} with ${pluralText(commits - shown, "commit")}.</p>`;
  return html`<ol class="rows authors">${rows}</ol>${rest}`;
}

export function barOf(part: number): Markup {
  const width = coordinate(Math.max(0.5, part * 100));
  return html`<svg class="line" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="bar" width="${width}" height="4"/></svg>`;
}

function sparkOf({ counts }: AuthorActivity): Markup {
  const every = Math.max(1, Math.ceil(counts.length / SPARK_BINS));
  const sums: number[] = [];
  for (let at = 0; at < counts.length; at += every) {
    sums.push(counts.slice(at, at + every).reduce((sum, count) => sum + count, 0));
  }
  const most = Math.max(1, ...sums);
  const path = sums
    .map((sum, index) => {
      const height = sum === 0 ? 0 : Math.max(1.5, (sum / most) * SPARK_HEIGHT);
      return sum === 0 ? "" : `M${index * 10 + 1} ${SPARK_HEIGHT}h8v-${coordinate(height)}h-8z`;
    })
    .join("");
  return html`<svg class="spark" viewBox="0 0 ${sums.length * 10} ${SPARK_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="bar" d="${path}"/></svg>`;
}

// Commits over time: a bar for each hour, day, week, month, quarter or year.
import { coordinate, countText, pluralText } from "./figures.ts";
import type { HistoryFacts } from "./gather-history.ts";
import { html, type Markup } from "./markup.ts";
import { binText, type TimeBins } from "./time-bins.ts";

const TICKS_MAX = 6;
const HEIGHT = 100;

/** Only the bars are stretched with the page; what is read stands beside them as text. */
export function plotTimeline({ bins, counts, commits }: HistoryFacts): Markup {
  const top = niceTop(Math.max(1, ...counts));
  const width = bins.starts.length * 10;
  const bars = counts.map((count, index) => {
    const height = (count / top) * HEIGHT;
    const y = coordinate(HEIGHT - height);
    const label = `${binText(bins, bins.starts[index] ?? 0)}: ${pluralText(count, "commit")}`;
    return html`<g><title>${label}</title><rect class="hit" x="${index * 10}" y="0" width="10" height="${HEIGHT}"/><rect class="bar" x="${index * 10 + 1}" y="${y}" width="8" height="${coordinate(height)}"/></g>`;
  });
  const label = `${pluralText(commits, "commit")} by ${bins.unit}; at most ${countText(Math.max(...counts, 0))} in one`;
  return html`<div class="timeline">
<div class="plot">
${[top, top / 2, 0].map((value) => html`<span class="grid" style="bottom:${coordinate((value / top) * 100)}%"><b>${countText(value)}</b></span>`)}
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
</div>
<div class="ticks${bins.starts.length > 3 ? " many" : ""}" aria-hidden="true">${ticksOf(bins)}</div>
</div>
${tableOf(bins, counts)}`;
}

/** A number that can be halved, and is not much above. */
function niceTop(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  const times = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.4, 3, 4, 5, 6, 8, 10];
  const top = Math.ceil((times.find((each) => each * step >= value) ?? 10) * step);
  return top % 2 === 0 ? top : top + 1;
}

function ticksOf(bins: TimeBins): Markup[] {
  const { starts } = bins;
  const every = Math.max(1, Math.ceil(starts.length / TICKS_MAX));
  return starts.flatMap((start, index) => {
    if (index % every !== 0) return [];
    const left = coordinate(((index + 0.5) / starts.length) * 100);
    return [html`<span style="left:${left}%">${tickText(bins, start)}</span>`];
  });
}

/** Days without their year: the table has it, and so has the head of the page. */
function tickText(bins: TimeBins, start: number): string {
  const text = binText(bins, start);
  return /^(?:hour|day)$/.test(bins.unit) ? text.replace(/ \d{4}\b/, "") : text;
}

function tableOf(bins: TimeBins, counts: readonly number[]): Markup {
  const rows = counts.map(
    (count, index) =>
      html`<tr><th scope="row">${binText(bins, bins.starts[index] ?? 0)}</th><td>${countText(count)}</td></tr>`,
  );
  return html`<details><summary>As a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Commits over time, as a table"><table><thead><tr><th scope="col">${bins.unit}</th><th scope="col">commits</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

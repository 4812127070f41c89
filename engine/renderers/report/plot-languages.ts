// In which languages the files are: one bar, divided, and what its parts are.
import { bytesText, coordinate, percentText, pluralText } from "./figures.ts";
import type { Share } from "./gather-tree.ts";
import { html, type Markup } from "./markup.ts";

/** As many as there are colours; the last is for the others. */
const SHOWN_MAX = 7;
const OTHERS = "Other";

export function plotLanguages(languages: readonly Share[]): Markup {
  const total = languages.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total === 0) return html`<p class="note">No file is in a language that is known here.</p>`;
  const shown = withOthers(languages.filter(({ bytes }) => bytes > 0));
  let at = 0;
  const parts = shown.map(({ name, bytes }, index) => {
    const [x, width] = [at, (bytes / total) * 1000];
    at += width;
    const gap = index === shown.length - 1 || width < 6 ? 0 : 3;
    return html`<rect class="c${colourOf(name, index)}" x="${coordinate(x)}" width="${coordinate(width - gap)}" height="20"><title>${name}: ${percentText(bytes, total)}</title></rect>`;
  });
  const label = shown.map(({ name, bytes }) => `${name} ${percentText(bytes, total)}`).join(", ");
  const legend = shown.map(
    ({ name, bytes, files }, index) =>
      html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="c${colourOf(name, index)}" width="10" height="10" rx="2.5"/></svg><span>${name}</span><b>${percentText(bytes, total)}</b><small>${bytesText(bytes)} in ${pluralText(files, "file")}</small></li>`,
  );
  return html`<svg class="stack" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="${label}">${parts}</svg>
<ul class="legend">${legend}</ul>`;
}

function withOthers(languages: readonly Share[]): Share[] {
  if (languages.length <= SHOWN_MAX + 1) return [...languages];
  const rest = languages.slice(SHOWN_MAX);
  const sum = (of: (share: Share) => number) => rest.reduce((total, each) => total + of(each), 0);
  const others = {
    name: OTHERS,
    bytes: sum(({ bytes }) => bytes),
    files: sum(({ files }) => files),
  };
  return [...languages.slice(0, SHOWN_MAX), others];
}

function colourOf(name: string, index: number): number {
  return name === OTHERS ? 0 : index + 1;
}

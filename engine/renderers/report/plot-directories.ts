// Where the bytes are: directories as areas, with what is in them drawn inside.
import { bytesText, coordinate, countText, percentText } from "./figures.ts";
import type { DirectoryShare, Share } from "./gather-tree.ts";
import { html, type Markup, plainName, shownName } from "./markup.ts";
import { type Box, squarify } from "./squarify.ts";

const SIZE = { width: 1000, height: 420 } as const;
const SHOWN_MAX = 30;
const CHILDREN_MAX = 40;
const ROWS_MAX = 200;
/** In parts of the whole; smaller areas have no room for a name. */
const LABEL = { width: 0.085, height: 0.1 } as const;
const SHADES = 5;

export function plotDirectories(directories: readonly DirectoryShare[]): Markup {
  const filled = directories.filter(({ bytes }) => bytes > 0);
  const shown = filled.slice(0, SHOWN_MAX);
  const total = filled.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total === 0) return html`<p class="note">There are no files, or they are empty.</p>`;
  const boxes = squarify(weightsOf(shown), { x: 0, y: 0, ...SIZE });
  const parts = shown.map((each, index) => areaOf(each, boxes[index] ?? NOWHERE, index, total));
  const labels = shown.map((each, index) => labelOf(each, boxes[index] ?? NOWHERE));
  const largest = shown
    .slice(0, 3)
    .map(({ name, bytes }) => `${plainName(name)} ${bytesText(bytes)}`);
  const rest = filled.length - shown.length;
  const note =
    rest === 0 ? html`` : html`<p class="note">The ${countText(rest)} smallest are not drawn.</p>`;
  return html`<div class="map"><svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" preserveAspectRatio="none" role="img" aria-label="Largest: ${largest.join(", ")}">${parts}</svg>${labels}</div>
${note}
${tableOf(filled, total)}`;
}

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };

function areaOf(directory: DirectoryShare, box: Box, index: number, total: number): Markup {
  const children = directory.children.filter(({ bytes }) => bytes > 0).slice(0, CHILDREN_MAX);
  const inner = squarify(weightsOf(children), box).map(
    (each) => html`<rect class="inner" ${placeOf(each)}/>`,
  );
  const title = `${plainName(directory.name)}: ${bytesText(directory.bytes)}, ${percentText(directory.bytes, total)}`;
  return html`<g><title>${title}</title><rect class="area s${index % SHADES}" ${placeOf(box)}/>${inner}<rect class="edge" ${placeOf(box)}/></g>`;
}

function labelOf({ name, bytes }: Share, { x, y, width, height }: Box): Markup {
  if (width / SIZE.width < LABEL.width || height / SIZE.height < LABEL.height) return html``;
  const percent = (part: number, whole: number) => coordinate((part / whole) * 100);
  return html`<span class="label" aria-hidden="true" style="left:${percent(x, SIZE.width)}%;top:${percent(y, SIZE.height)}%;width:${percent(width, SIZE.width)}%;height:${percent(height, SIZE.height)}%"><b>${shownName(name)}</b><small>${bytesText(bytes)}</small></span>`;
}

function placeOf({ x, y, width, height }: Box): Markup {
  return html`x="${coordinate(x)}" y="${coordinate(y)}" width="${coordinate(width)}" height="${coordinate(height)}"`;
}

function weightsOf(shares: readonly Share[]): number[] {
  return shares.map(({ bytes }) => bytes);
}

function tableOf(directories: readonly Share[], total: number): Markup {
  const rows = directories
    .slice(0, ROWS_MAX)
    .map(
      ({ name, bytes, files }) =>
        html`<tr><th scope="row">${shownName(name)}</th><td>${bytesText(bytes)}</td><td>${percentText(bytes, total)}</td><td>${countText(files)}</td></tr>`,
    );
  return html`<details><summary>As a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Size by directory, as a table"><table><thead><tr><th scope="col">directory</th><th scope="col">size</th><th scope="col">share</th><th scope="col">files</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

// The files that changed most often.
import { countText } from "./figures.ts";
import { html, type Markup, plainName } from "./markup.ts";
import { barOf } from "./plot-authors.ts";

export interface HotFile {
  readonly path: string;
  readonly changes: number;
}

/** The name stays readable where the path is cut. */
export function plotHotFiles(files: readonly HotFile[]): Markup {
  if (files.length === 0)
    return html`<p class="note">No file of this commit was changed in that time.</p>`;
  const most = Math.max(1, ...files.map(({ changes }) => changes));
  const rows = files.map(({ path, changes }) => {
    const at = path.lastIndexOf("/") + 1;
    const directory = at === 0 ? html`` : html`<i><bdi>${plainName(path.slice(0, at))}</bdi></i>`;
    return html`<li>
<span class="path" title="${plainName(path)}">${directory}<b><bdi>${plainName(path.slice(at))}</bdi></b></span>
<span class="figure"><b>${countText(changes)}</b></span>
${barOf(changes / most)}
</li>`;
  });
  return html`<ol class="rows files">${rows}</ol>`;
}

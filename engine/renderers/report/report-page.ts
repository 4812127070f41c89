// The report as one HTML page that needs nothing else: no script, no font, no picture from elsewhere.
import type { CommitFacts } from "@croft/git";
import { bytesText, countText, dayText, pluralText } from "./figures.ts";
import type { HistoryFacts } from "./gather-history.ts";
import type { TreeFacts } from "./gather-tree.ts";
import { html, Markup, plainName, shownName } from "./markup.ts";
import { plotAuthors } from "./plot-authors.ts";
import { plotDirectories } from "./plot-directories.ts";
import { plotHotFiles } from "./plot-hot-files.ts";
import { plotLanguages } from "./plot-languages.ts";
import { plotTimeline } from "./plot-timeline.ts";
import { REPORT_STYLE } from "./report-style.ts";

export interface ReportFacts {
  readonly title: string;
  /** Its address, without anything secret. */
  readonly repository: string;
  readonly ref: string | undefined;
  readonly commit: string;
  readonly head: CommitFacts;
  /** A day: `2026-01-31`. */
  readonly since: string | undefined;
  readonly history: HistoryFacts;
  readonly tree: TreeFacts;
}

const HOT_FILES_SHOWN = 14;
/** So few authors do not fill a column beside the files. */
const FEW = 6;
/** Were it opened by itself, too: a page that cannot do more than be looked at. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function reportPage(facts: ReportFacts): string {
  const { title, history, tree } = facts;
  const hot = history.changed
    .filter(({ name }) => tree.existing.has(name))
    .slice(0, HOT_FILES_SHOWN)
    .map(({ name, count }) => ({ path: name, changes: count }));
  const beside = history.authors.length < FEW ? "wide" : "";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${plainName(title)}</title>
<style>${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<main>
${headOf(facts)}
${tilesOf(facts)}
${section("Commits over time", timeNote(facts), plotTimeline(history), "wide")}
${section("Authors", authorsNote(history), plotAuthors(history), beside)}
${section("Hot files", "Changed by most commits, and still there", plotHotFiles(hot), beside)}
${section("Languages", "By size, told by the names of files; without lock files and what was minified", plotLanguages(tree.languages), "wide")}
${section("Size by directory", "Each area is as large as the files in it", plotDirectories(tree.directories), "wide")}
</main>
<footer><p>Made by Croft from commit <code>${facts.commit}</code>. The same commit always gives the same report.</p></footer>
</body>
</html>
`.text;
}

function headOf({ title, repository, ref, commit, head }: ReportFacts): Markup {
  const branch = ref === undefined ? html`` : html`<span class="chip">${shownName(ref)}</span>`;
  return html`<header>
<p class="over">Repository report</p>
<h1>${shownName(title)}</h1>
<p class="address">${shownName(repository)}</p>
<p class="commit">${branch}<code>${commit.slice(0, 12)}</code><time datetime="${isoDay(head.committedAt)}">${dayText(clamped(head.committedAt))}</time></p>
<p class="subject">${shownName(head.subject)}</p>
</header>`;
}

function tilesOf({ history, tree }: ReportFacts): Markup {
  const period =
    history.commits === 0 ? "–" : `${dayText(history.firstAt)} – ${dayText(history.lastAt)}`;
  const tiles: readonly (readonly [string, string])[] = [
    ["Commits", `${countText(history.commits)}${history.isCut ? "+" : ""}`],
    ["Authors", countText(history.authorCount)],
    ["Files", countText(tree.files)],
    ["Size", bytesText(tree.bytes)],
    ["Period", period],
  ];
  return html`<dl class="tiles">${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function section(title: string, note: string, body: Markup, width: "wide" | "" = ""): Markup {
  return html`<section class="${width}"><h2>${title}</h2><p class="sub">${note}</p>${body}</section>`;
}

function timeNote({ history, since }: ReportFacts): string {
  const { bins, isCut, commits, oddDates } = history;
  return [
    `By ${bins.unit}`,
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(isCut
      ? [`only the newest ${pluralText(commits, "commit")}, of which all numbers here are`]
      : []),
    ...(oddDates === 0
      ? []
      : [`without ${countText(oddDates)} whose dates lie far from all others`]),
  ].join("; ");
}

function authorsNote({ authors, authorCount }: HistoryFacts): string {
  if (authorCount > authors.length) return `The ${countText(authors.length)} with most commits`;
  return "By e-mail address, with the time from the first to the last commit";
}

const TIME_MAX = 4_102_444_800;

function clamped(seconds: number): number {
  return Math.min(Math.max(0, seconds), TIME_MAX);
}

function isoDay(seconds: number): string {
  return new Date(clamped(seconds) * 1000).toISOString().slice(0, 10);
}

// As much of Markdown as an example needs: headings, lists, code, paragraphs. All text is escaped.

export function toHtml(markdown: string): string {
  const blocks = markdown.replaceAll("\r", "").split(/\n{2,}/);
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? "Page";
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>`,
    "<style>body{font:1rem/1.5 system-ui;max-width:42rem;margin:2rem auto;padding:0 1rem}</style></head><body>",
    ...blocks.filter((block) => block.trim() !== "").map((block) => blockToHtml(block.trim())),
    "</body></html>",
    "",
  ].join("\n");
}

function blockToHtml(block: string): string {
  const [, marks, heading] = /^(#{1,6}) (.+)$/.exec(block) ?? [];
  if (marks !== undefined && heading !== undefined) {
    return `<h${marks.length}>${escapeHtml(heading)}</h${marks.length}>`;
  }
  if (block.startsWith("```")) {
    return `<pre>${escapeHtml(block.replace(/^```.*\n?/, "").replace(/\n?```$/, ""))}</pre>`;
  }
  const lines = block.split("\n");
  if (lines.every((line) => /^[-*] /.test(line))) {
    const items = lines.map((line) => `<li>${escapeHtml(line.slice(2))}</li>`);
    return `<ul>${items.join("")}</ul>`;
  }
  return `<p>${escapeHtml(block)}</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

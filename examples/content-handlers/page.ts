// The job type `page`: a Markdown file of a repository as an HTML page.
import { defineHandler, z } from "croft";
import { toHtml } from "./markdown.ts";

export const page = defineHandler({
  description: "Makes an HTML page of a Markdown file in a repository.",
  input: z.object({
    repository: z.string().describe("URL of the repository"),
    ref: z.string().optional().describe("branch, tag or commit; the default branch without one"),
    path: z.string().default("README.md").describe("the Markdown file"),
  }),
  run: async ({ input, repository, assets, progress, log }) => {
    const tree = await repository(input.repository, input.ref);
    progress(0.3, `reading ${input.path}`);
    const text = (await tree.read(input.path))?.toString("utf8");
    if (text === undefined) {
      // Never tried again: the same commit will not have the file later.
      throw Object.assign(new Error(`there is no '${input.path}'`), { class: "invalid" });
    }
    log(`${input.path} has ${text.length} characters`);
    progress(0.7, "writing the page");
    const { commit } = tree;
    const name = `${input.path.replaceAll("/", "-").replace(/\.md$/, "")}.html`;
    const { id } = await assets.put(name, toHtml(text), { mediaType: "text/html", commit });
    return { commit, asset: id, words: text.split(/\s+/).filter(Boolean).length };
  },
});

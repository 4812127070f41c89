// The job type `book`: a `page` for every Markdown file of a repository.
import { defineHandler, z } from "croft";

export const book = defineHandler({
  description: "Enqueues a page for every Markdown file of a repository.",
  input: z.object({
    repository: z.string().describe("URL of the repository"),
    ref: z.string().optional().describe("branch, tag or commit"),
    folder: z.string().default("").describe("only files below it, such as `docs/`"),
    limit: z.int().min(1).max(1000).default(100).describe("pages at the most"),
  }),
  run: async ({ input, repository, enqueue, progress, signal }) => {
    const { commit, list } = await repository(input.repository, input.ref);
    const files = (await list(input.folder)).filter(({ path }) => path.endsWith(".md"));
    const pages: string[] = [];
    for (const { path } of files.slice(0, input.limit)) {
      signal.throwIfAborted();
      // All of one commit, whatever is pushed meanwhile. Tried again, this job gets the same pages, not new ones.
      const job = { type: "page", input: { repository: input.repository, ref: commit, path } };
      pages.push((await enqueue(job)).id);
      progress(pages.length / Math.min(files.length, input.limit), path);
    }
    return { commit, pages };
  },
});

// The job type `build`: a command in a working copy, and the files that it made.
import { defineHandler, z } from "croft";

export const build = defineHandler({
  description: "Runs a build in a repository and keeps the files it made.",
  input: z.object({
    repository: z.string().describe("URL of the repository"),
    ref: z.string().optional(),
    command: z.string().describe("for `sh -c`, such as `make pdf`"),
    files: z.array(z.string()).min(1).describe("what to keep, by path"),
  }),
  run: async ({ input, workspace, assets, progress }) => {
    progress(0.1, "checking out");
    const { repository, ref } = input;
    const copy = await workspace({ repository, ref });
    progress(0.3, "building");
    await copy.run(input.command);
    const kept: Record<string, string> = {};
    for (const path of input.files) {
      const name = path.split("/").at(-1) ?? path;
      kept[path] = (await assets.put(name, copy.file(path), { commit: copy.commit })).id;
    }
    return { commit: copy.commit, kept };
  },
});

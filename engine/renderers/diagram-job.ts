// The job type `diagram`: Mermaid or Graphviz, from the input or from a file of a repository, as an SVG that can do nothing.
import { posix } from "node:path";
import { z } from "zod";
import { JobFailure } from "../jobs/job-failure.ts";
import { type Attempt, defineJobType, type JobType } from "../jobs/job-type.ts";
import { askDiagramProcess, DrawingGaveUp } from "./ask-diagram-process.ts";
import {
  type CommitWish,
  RefInput,
  type RendererParts,
  repositoryInput,
  withCommit,
} from "./open-commit.ts";

const SOURCE_LENGTH_MAX = 256 * 1024;

interface DiagramInput {
  readonly language: "mermaid" | "graphviz";
  readonly theme: "light" | "dark";
  readonly source?: string | undefined;
  readonly repository?: CommitWish["repository"] | undefined;
  readonly ref?: string | undefined;
  readonly path?: string | undefined;
}

interface Source {
  readonly text: string;
  readonly name: string;
  readonly commit?: string | undefined;
}

export function diagramJob(parts: RendererParts): JobType {
  const Input = z
    .strictObject({
      language: z.enum(["mermaid", "graphviz"]),
      source: z.string().min(1).max(SOURCE_LENGTH_MAX).optional().describe("the diagram itself"),
      repository: repositoryInput(parts).optional(),
      ref: RefInput.optional(),
      path: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe("the file of the repository that has it"),
      theme: z.enum(["light", "dark"]).prefault("light"),
    })
    .refine(
      ({ source, repository, ref, path }) =>
        source === undefined
          ? repository !== undefined && path !== undefined
          : repository === undefined && ref === undefined && path === undefined,
      "needs either 'source', or 'repository' and 'path'",
    );
  return defineJobType<z.output<typeof Input>>({
    name: "diagram",
    description: "A Mermaid or Graphviz diagram, written out or in a repository, as SVG",
    input: Input,
    run: async (attempt) => {
      const { language, path } = attempt.input;
      const { text, name, commit } = await sourceOf(parts, attempt);
      const svg = await draw(attempt, text);
      await attempt.assets.put(name, once(svg), { mediaType: "image/svg+xml", commit });
      return { language, bytes: svg.length, ...(commit === undefined ? {} : { commit, path }) };
    },
  });
}

async function sourceOf(parts: RendererParts, attempt: Attempt<DiagramInput>): Promise<Source> {
  const { source, repository, ref, path } = attempt.input;
  if (source !== undefined) return { text: source, name: "diagram.svg" };
  if (repository === undefined || path === undefined) throw new Error("checked by the input");
  return await withCommit(parts, attempt, { repository, ref }, async (opened) => {
    const { git, commit, access } = opened;
    const maxBytes = SOURCE_LENGTH_MAX;
    const bytes = await git.remotes.readFile({ repository, access, commit, path, maxBytes });
    if (bytes === undefined) {
      throw new JobFailure("invalid", "no-such-path", `the commit has no file '${path}'`);
    }
    const name = posix.basename(path).replace(/\.[^.]*$/, "");
    return { text: bytes.toString("utf8"), name: `${name || "diagram"}.svg`, commit };
  });
}

async function draw(attempt: Attempt<DiagramInput>, source: string): Promise<Buffer> {
  const { language, theme } = attempt.input;
  attempt.progress(0.5, "drawing");
  try {
    const answer = await askDiagramProcess({ language, theme, source }, attempt.signal);
    if (answer.kind === "drawn") {
      for (const warning of answer.warnings) attempt.log(`${warning}\n`);
      return Buffer.from(answer.svg);
    }
    const { message, line } = answer;
    const place = line === undefined || /\bline \d/.test(message) ? "" : `line ${line}: `;
    throw new JobFailure("invalid", "invalid-diagram", `${place}${message}`, {
      details: line === undefined ? undefined : { line },
    });
  } catch (error) {
    if (!(error instanceof DrawingGaveUp)) throw error;
    const message = `the diagram cannot be drawn: ${error.message}`;
    throw new JobFailure("invalid", "diagram-too-costly", message, { cause: error });
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

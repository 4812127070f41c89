// The job type `report`: a picture of a repository as one HTML page.
import { z } from "zod";
import { type Attempt, defineJobType, type JobType } from "../jobs/job-type.ts";
import { commitTree } from "./commit-tree.ts";
import {
  baseName,
  factsOf,
  type OpenedCommit,
  RefInput,
  type RendererParts,
  repositoryInput,
  repositoryName,
  withCommit,
} from "./open-commit.ts";
import { COMMITS_MAX, gatherHistory, type HistoryFacts } from "./report/gather-history.ts";
import { gatherTree } from "./report/gather-tree.ts";
import { type ReportFacts, reportPage } from "./report/report-page.ts";

interface ReportInput {
  readonly ref?: string | undefined;
  readonly since?: string | undefined;
  readonly title?: string | undefined;
}

/** Reading the history takes most of the time. */
const HISTORY_SHARE = 0.7;

export function reportJob(parts: RendererParts): JobType {
  const Input = z.strictObject({
    repository: repositoryInput(parts),
    ref: RefInput.optional(),
    since: z.iso.date().optional().describe("the first day of the history that is looked at"),
    title: z.string().min(1).max(200).optional().describe("the repository's name without one"),
  });
  return defineJobType<z.output<typeof Input>>({
    name: "report",
    description:
      "A page about a repository: commits over time, authors, hot files, languages, size",
    input: Input,
    run: (attempt) =>
      withCommit(parts, attempt, attempt.input, async (opened) => {
        const facts = await gather(attempt, opened);
        attempt.progress(0.95, "writing");
        const page = Buffer.from(reportPage(facts));
        const { commit } = opened;
        const options = { mediaType: "text/html; charset=utf-8", commit };
        await attempt.assets.put(`${baseName(opened)}-report.html`, once(page), options);
        return resultOf(facts);
      }),
  });
}

async function gather(attempt: Attempt<ReportInput>, opened: OpenedCommit): Promise<ReportFacts> {
  const { input, signal } = attempt;
  const { remote, commit } = opened;
  const head = await factsOf(opened, signal);
  const history = await readHistory(attempt, opened);
  const names = new Set(history.changed.map(({ name }) => name));
  const tree = await gatherTree(commitTree(opened, { signal }), names, (files) =>
    attempt.progress(HISTORY_SHARE, `reading files: ${files}`),
  );
  const title = input.title ?? repositoryName(remote);
  const { ref, since } = input;
  return { title, repository: remote.text, ref, commit, head, since, history, tree };
}

async function readHistory(
  { input, signal, progress }: Attempt<ReportInput>,
  { git, remote, commit }: OpenedCommit,
): Promise<HistoryFacts> {
  const from = Date.parse(`${input.since ?? "1970-01-01"}T00:00:00Z`) / 1000;
  const since = from > 0 ? from : undefined; // git knows no time before 1970, and would find nothing
  const past = git.contents.history(remote, commit, { countMax: COMMITS_MAX + 1, since, signal });
  return await gatherHistory(past, (count) =>
    progress((count / COMMITS_MAX) * HISTORY_SHARE, `reading history: ${count} commits`),
  );
}

function resultOf({ commit, history, tree }: ReportFacts) {
  return {
    commit,
    ...{ commits: history.commits, is_cut: history.isCut, authors: history.authorCount },
    ...{ files: tree.files, bytes: tree.bytes },
  };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

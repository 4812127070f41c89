// A pull request for a branch: opened once, then updated; GitHub itself has no two open ones of one branch into another.
import { cutText } from "./cut-text.ts";
import { isRefused } from "./github-failure.ts";
import { digestOf, type ResultPlace, readResult } from "./result-record.ts";
import { askTarget } from "./result-target.ts";
import { type ResultParts, writeResult } from "./write-result.ts";

export interface PullRequestWish {
  /** A branch of the same repository. */
  readonly head: string;
  /** The default branch without. */
  readonly base?: string | undefined;
  readonly title: string;
  readonly body?: string | undefined;
  /** Counts when it is opened; afterwards it is for people to say whether it is ready. */
  readonly draft?: boolean | undefined;
}

export interface PutPullRequest {
  readonly number: number;
  readonly url: string;
  /** Somebody else's is left as it is. */
  readonly isOwn: boolean;
}

interface Pull {
  readonly id: number;
  readonly number: number;
  readonly html_url: string;
  readonly title: string;
  readonly body?: string | null;
  readonly user?: { readonly login: string } | null;
  readonly head: { readonly ref: string; readonly repo?: { readonly full_name: string } | null };
}

const TITLE_LENGTH_MAX = 256;
const BODY_LENGTH_MAX = 65_000;
const PAGE = 100;

export async function putPullRequest(
  parts: ResultParts,
  place: ResultPlace,
  wish: PullRequestWish,
): Promise<PutPullRequest> {
  const { head } = wish;
  const base = wish.base ?? (await defaultBranch(parts));
  const title = wish.title.replaceAll(/\s+/g, " ").trim().slice(0, TITLE_LENGTH_MAX);
  const body = cutText(wish.body ?? "", BODY_LENGTH_MAX);
  const digest = digestOf({ head, base, title, body });
  const known = await readResult(parts.database.pool, place);
  if (known?.isOpen === false && known.digest === digest && known.number !== undefined) {
    return { number: known.number, url: known.url ?? "", isOwn: known.state["isOwn"] !== false };
  }
  const content = { head, base, title, body };
  return await writeResult(parts, place, {
    kept: content,
    send: async () => {
      const { pull, isOwn } = await openOrUpdate(parts, content, wish.draft);
      const { id: remoteId, number, html_url: url } = pull;
      const settled = { number, remoteId, url, digest, state: { isOwn } };
      return { settled, value: { number, url, isOwn } };
    },
    restore: (restoring, kept) => putPullRequest(restoring, place, kept),
  });
}

interface PullContent {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

async function openOrUpdate(
  parts: ResultParts,
  content: PullContent,
  draft: boolean | undefined,
): Promise<{ readonly pull: Pull; readonly isOwn: boolean }> {
  const { target, writer } = parts;
  const ask = <T>(route: string, parameters: object) =>
    askTarget<T>(target, route, parameters, writer.signal);
  let found = await findOpen(parts, content);
  if (found === undefined) {
    try {
      const parameters = { ...content, draft: draft ?? false };
      return { pull: await ask("POST /repos/{owner}/{repo}/pulls", parameters), isOwn: true };
    } catch (error) {
      // Perhaps somebody has opened it at this moment.
      found = isRefused(error) ? await findOpen(parts, content) : undefined;
      if (found === undefined) throw error;
    }
  }
  const isOwn = found.user?.login === (await target.app.login());
  const isSame = found.title === content.title && (found.body ?? "") === content.body;
  if (!isOwn || isSame) return { pull: found, isOwn };
  const { title, body } = content;
  const parameters = { pull_number: found.number, title, body };
  return { pull: await ask("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", parameters), isOwn };
}

async function findOpen(
  { target, writer }: ResultParts,
  { head, base }: PullContent,
): Promise<Pull | undefined> {
  const [owner] = target.repository.split("/");
  const parameters = { state: "open", head: `${owner}:${head}`, base, per_page: PAGE };
  const pulls = await askTarget<readonly Pull[]>(
    target,
    "GET /repos/{owner}/{repo}/pulls",
    parameters,
    writer.signal,
  );
  // A head that GitHub does not understand is no filter; a fork of the same owner has branches of that name, too.
  return pulls.find(
    (pull) =>
      pull.head.ref === head &&
      pull.head.repo?.full_name.toLowerCase() === target.repository.toLowerCase(),
  );
}

async function defaultBranch({ target, writer }: ResultParts): Promise<string> {
  const { default_branch: branch } = await askTarget<{ readonly default_branch: string }>(
    target,
    "GET /repos/{owner}/{repo}",
    {},
    writer.signal,
  );
  return branch;
}

// Repositories, pull requests and comments of a fake GitHub.
import { FakeError, notFound } from "./fake-github-error.ts";
import { changedFiles, commitOf, compareCommits, syncPull } from "./fake-github-git.ts";
import { type Asked, pageOf, type Route, requireRepository, textOf } from "./fake-github-router.ts";
import { commentJson, pullJson, repositoryJson } from "./fake-github-shapes.ts";
import type { FakeComment, FakePull, FakeRepository } from "./fake-github-state.ts";

export const PULL_ROUTES: readonly Route[] = [
  ["GET /repos/:owner/:repo", showRepository],
  ["GET /repos/:owner/:repo/compare/:basehead", compare],
  ["GET /repos/:owner/:repo/pulls", listPulls],
  ["POST /repos/:owner/:repo/pulls", createPull],
  ["GET /repos/:owner/:repo/pulls/:number", showPull],
  ["PATCH /repos/:owner/:repo/pulls/:number", changePull],
  ["GET /repos/:owner/:repo/pulls/:number/files", listFiles],
  ["GET /repos/:owner/:repo/issues/:number/comments", listComments],
  ["POST /repos/:owner/:repo/issues/:number/comments", createComment],
  ["GET /repos/:owner/:repo/issues/comments/:id", showComment],
  ["PATCH /repos/:owner/:repo/issues/comments/:id", changeComment],
  ["DELETE /repos/:owner/:repo/issues/comments/:id", deleteComment],
];

function showRepository(asked: Asked) {
  const repository = requireRepository(asked, "read", "metadata");
  return { body: repositoryJson(repository, asked.webUrl) };
}

/** GitHub lists no more files of a comparison, and says nothing of the rest. */
const COMPARED_FILES_MAX = 300;

async function compare(asked: Asked) {
  const { path } = requireRepository(asked, "read", "contents");
  const [base = "", head = ""] = (asked.path["basehead"] ?? "").split("...");
  const [from, to] = [await commitOf(path, base), await commitOf(path, head)];
  if (from === undefined || to === undefined) throw notFound();
  const { files, ...compared } = await compareCommits(path, from, to);
  return { body: { ...compared, files: files.slice(0, COMPARED_FILES_MAX) } };
}

function listPulls(asked: Asked) {
  const repository = requireRepository(asked, "read", "pull_requests");
  const { query } = asked;
  const state = query.get("state") ?? "open";
  const head = query.get("head");
  const base = query.get("base");
  const found = repository.pulls.filter(
    (pull) =>
      (state === "all" || pull.state === state) &&
      (head === null || head === `${pull.from.owner}:${pull.head}`) &&
      (base === null || base === pull.base),
  );
  const { items, headers } = pageOf(asked, found.toReversed()); // the newest first
  return { body: items.map((pull) => pullJson(pull, asked.webUrl)), headers };
}

async function createPull(asked: Asked) {
  const repository = requireRepository(asked, "write", "pull_requests");
  const { body, state } = asked;
  const title = textOf(body, "title", { max: 256, isRequired: true }) ?? "";
  const head = (textOf(body, "head", { isRequired: true }) ?? "").replace(/^[^:]*:/, "");
  const base = textOf(body, "base", { isRequired: true }) ?? "";
  const tip = await commitOf(repository.path, `refs/heads/${head}`);
  const ground = await commitOf(repository.path, `refs/heads/${base}`);
  if (tip === undefined || ground === undefined) {
    throw new FakeError(422, `Validation Failed: ${tip === undefined ? "head" : "base"} invalid`);
  }
  const isOpen = (pull: FakePull) =>
    pull.state === "open" && pull.from === repository && pull.head === head && pull.base === base;
  if (repository.pulls.some(isOpen)) {
    throw new FakeError(422, `A pull request already exists for ${repository.owner}:${head}.`);
  }
  if (tip === ground) throw new FakeError(422, `No commits between ${base} and ${head}`);
  const pull: FakePull = {
    ...{ id: state.nextId(), number: nextNumber(repository), repository, from: repository },
    ...{ head, base, headSha: "", baseSha: "", mergeSha: null, title, state: "open" },
    ...{ body: textOf(body, "body") ?? null, draft: body["draft"] === true, author: bot(asked) },
  };
  repository.pulls.push(pull);
  await syncPull(pull);
  return { status: 201, body: pullJson(pull, asked.webUrl) };
}

/** Issues and pull requests count together, and there are no issues here. */
export function nextNumber({ pulls }: FakeRepository): number {
  return Math.max(0, ...pulls.map(({ number }) => number)) + 1;
}

function bot({ state }: Asked): string {
  return `${state.slug}[bot]`;
}

function findPull(asked: Asked, level: "read" | "write", ...permissions: string[]): FakePull {
  const { pulls } = requireRepository(asked, level, ...permissions);
  const found = pulls.find(({ number }) => number === Number(asked.path["number"]));
  if (found === undefined) throw notFound();
  return found;
}

async function showPull(asked: Asked) {
  const pull = findPull(asked, "read", "pull_requests");
  await syncPull(pull);
  return { body: pullJson(pull, asked.webUrl) };
}

async function changePull(asked: Asked) {
  const pull = findPull(asked, "write", "pull_requests");
  const { body } = asked;
  const state = textOf(body, "state");
  if (state !== undefined && state !== "open" && state !== "closed") {
    throw new FakeError(422, "Validation Failed: state");
  }
  pull.title = textOf(body, "title", { max: 256 }) ?? pull.title;
  pull.body = textOf(body, "body") ?? pull.body;
  pull.base = textOf(body, "base") ?? pull.base;
  pull.state = state ?? pull.state;
  await syncPull(pull);
  return { body: pullJson(pull, asked.webUrl) };
}

async function listFiles(asked: Asked) {
  const pull = findPull(asked, "read", "pull_requests");
  await syncPull(pull);
  const { items, headers } = pageOf(
    asked,
    await changedFiles(pull.repository.path, pull.baseSha, pull.headSha),
  );
  return { body: items, headers };
}

function listComments(asked: Asked) {
  const { number, repository } = findPull(asked, "read", "issues", "pull_requests");
  const found = repository.comments.filter((comment) => comment.number === number);
  const { items, headers } = pageOf(asked, found);
  return { body: items.map((one) => commentJson(one, repository, asked.webUrl)), headers };
}

function createComment(asked: Asked) {
  const { number, repository } = findPull(asked, "write", "issues", "pull_requests");
  const body = textOf(asked.body, "body", { isRequired: true }) ?? "";
  const id = asked.state.nextId();
  const comment: FakeComment = { id, number, body, author: bot(asked), edits: 0 };
  repository.comments.push(comment);
  return { status: 201, body: commentJson(comment, repository, asked.webUrl) };
}

function findComment(asked: Asked, level: "read" | "write") {
  const repository = requireRepository(asked, level, "issues", "pull_requests");
  const comment = repository.comments.find(({ id }) => id === Number(asked.path["id"]));
  if (comment === undefined) throw notFound();
  return { comment, repository };
}

function showComment(asked: Asked) {
  const { comment, repository } = findComment(asked, "read");
  return { body: commentJson(comment, repository, asked.webUrl) };
}

/** Stricter than GitHub, which lets an App that may write issues change anybody's. */
function findOwnComment(asked: Asked) {
  const found = findComment(asked, "write");
  if (found.comment.author !== bot(asked)) {
    throw new FakeError(403, "Resource not accessible by integration");
  }
  return found;
}

function deleteComment(asked: Asked) {
  const { comment, repository } = findOwnComment(asked);
  repository.comments.splice(repository.comments.indexOf(comment), 1);
  return { status: 204 };
}

function changeComment(asked: Asked) {
  const { comment, repository } = findOwnComment(asked);
  comment.body = textOf(asked.body, "body", { isRequired: true }) ?? "";
  comment.edits += 1;
  return { body: commentJson(comment, repository, asked.webUrl) };
}

// The repositories of a fake GitHub as git sees them: real bare ones, with the refs of pull requests, for tokens only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { allows, findToken, reaches, secretOf } from "./fake-github-auth.ts";
import { FakeError } from "./fake-github-error.ts";
import type { FakePull, FakeRepository, FakeState } from "./fake-github-state.ts";
import { git } from "./make-repository.ts";
import { serve } from "./serve-git.ts";

export type Files = Readonly<Record<string, string>>;

/** One more commit on a branch, which is made from `from` if it is not there; returns its id. */
export async function commitFiles(
  { path, defaultBranch }: FakeRepository,
  branch: string,
  files: Files,
  message = "a change",
): Promise<string> {
  const known = await commitOf(path, `refs/heads/${branch}`);
  const parent = known ?? (await commitOf(path, `refs/heads/${defaultBranch}`));
  const importer = spawn("git", ["-C", path, "fast-import", "--quiet", "--force"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  const person = "Author <author@example.org> 1700000000 +0000";
  let text = `commit refs/heads/${branch}\nauthor ${person}\ncommitter ${person}\n`;
  text += `data ${Buffer.byteLength(message)}\n${message}\n`;
  if (parent !== undefined) text += `from ${parent}\n`;
  for (const [name, content] of Object.entries(files)) {
    text += `M 100644 inline "${name}"\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  }
  importer.stdin.end(`${text}done\n`);
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  return await requireCommit(path, `refs/heads/${branch}`);
}

export async function commitOf(path: string, ref: string): Promise<string | undefined> {
  const args = ["--git-dir", path, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`];
  return await git(args).catch(() => undefined);
}

export async function requireCommit(path: string, ref: string): Promise<string> {
  const commit = await commitOf(path, ref);
  if (commit === undefined) throw new Error(`there is no commit '${ref}' in ${path}`);
  return commit;
}

/** Brings `refs/pull/N/*` and what the pull request says up to what the branches are now. */
export async function syncPull(pull: FakePull): Promise<void> {
  const { repository, from, number } = pull;
  const inBase = (...args: string[]) => git(["--git-dir", repository.path, ...args]);
  const head = await commitOf(from.path, `refs/heads/${pull.head}`);
  const base = await commitOf(repository.path, `refs/heads/${pull.base}`);
  if (head === undefined || base === undefined || pull.state === "closed") return;
  if (head === pull.headSha && base === pull.baseSha) return;
  if (from !== repository) await inBase("fetch", "--quiet", from.path, head);
  await inBase("update-ref", `refs/pull/${number}/head`, head);
  pull.headSha = head;
  pull.baseSha = base;
  pull.mergeSha = await inBase("merge-tree", "--write-tree", base, head).then(
    (tree) =>
      inBase("commit-tree", tree, "-p", base, "-p", head, "-m", `Merge ${head} into ${base}`),
    () => null,
  );
  const ref = `refs/pull/${number}/merge`;
  if (pull.mergeSha !== null) await inBase("update-ref", ref, pull.mergeSha);
}

export interface ChangedFile {
  readonly filename: string;
  readonly status: string;
  readonly previous_filename?: string;
}

/** How one commit stands to another, in GitHub's words. */
export async function compareCommits(path: string, base: string, head: string) {
  const inside = (...args: string[]) => git(["--git-dir", path, ...args]);
  const range = `${base}...${head}`;
  const counts = await inside("rev-list", "--left-right", "--count", range);
  const [behind = 0, ahead = 0] = counts.trim().split(/\s+/).map(Number);
  const status = ["identical", "ahead", "behind", "diverged"][
    (ahead > 0 ? 1 : 0) + (behind > 0 ? 2 : 0)
  ];
  return {
    ...{ status, ahead_by: ahead, behind_by: behind, total_commits: ahead },
    merge_base_commit: { sha: (await inside("merge-base", base, head)).trim() },
    files: await changedFiles(path, base, head),
  };
}

/** The files that differ from where the branch left its base. */
export async function changedFiles(
  path: string,
  base: string,
  head: string,
): Promise<readonly ChangedFile[]> {
  const range = `${base}...${head}`;
  const args = ["--git-dir", path, "diff", "--name-status", "-M", "-z", range];
  const fields = (await git(args)).split("\0");
  const files: ChangedFile[] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const [letter = ""] = fields[at++] ?? "";
    const filename = fields[at++] ?? "";
    if (letter === "R") {
      files.push({ filename: fields[at++] ?? "", status: "renamed", previous_filename: filename });
    } else {
      const status = { A: "added", D: "removed" }[letter] ?? "modified";
      files.push({ filename, status });
    }
  }
  return files;
}

const GIT_PATH =
  /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-(?:upload|receive)-pack|info\/lfs.*|lfs.*)$/;

/** Whether the request is for git; if so it is answered. */
export function serveGitRequest(
  state: FakeState,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const url = new URL(request.url ?? "/", "http://github");
  const match = GIT_PATH.exec(url.pathname);
  if (match === null) return false;
  const repository = state.repository(`${match[1]}/${match[2]}`);
  const isWrite =
    url.searchParams.get("service") === "git-receive-pack" || match[3] === "git-receive-pack";
  try {
    checkGitAccess(state, request, repository, isWrite);
  } catch (error) {
    if (!(error instanceof FakeError)) throw error;
    response.writeHead(error.status, error.headers).end(error.message);
    return true;
  }
  if (repository !== undefined && request.method === "POST" && isWrite) {
    response.on("finish", () => state.inBackground(syncPulls(state, repository)));
  }
  if (repository !== undefined) {
    request.url = `/${repository.fullName}.git/${match[3]}${url.search}`;
  }
  serve(request, response, { root, isOld: false, fault: undefined });
  return true;
}

function checkGitAccess(
  state: FakeState,
  request: IncomingMessage,
  repository: FakeRepository | undefined,
  isWrite: boolean,
): void {
  const asks = { "www-authenticate": 'Basic realm="GitHub"' };
  const value = secretOf(request);
  if (value === undefined) {
    if (repository !== undefined && !repository.isPrivate && !isWrite) return;
    throw new FakeError(401, "Authentication required", asks);
  }
  const token = tokenOrAsk(state, value, asks);
  if (userOf(request) !== "x-access-token") throw new FakeError(401, "Bad credentials", asks);
  const isOwn = repository !== undefined && reaches(token, repository);
  if (repository !== undefined && !repository.isPrivate && !isWrite) return;
  if (!isOwn) throw new FakeError(404, "Repository not found.");
  if (!allows(token.permissions, "contents", isWrite ? "write" : "read")) {
    throw new FakeError(403, "Write access to repository not granted.");
  }
}

function tokenOrAsk(state: FakeState, value: string, asks: Readonly<Record<string, string>>) {
  try {
    return findToken(state, value);
  } catch {
    throw new FakeError(401, "Invalid username or token.", asks);
  }
}

function userOf({ headers }: IncomingMessage): string | undefined {
  const encoded = (headers.authorization ?? "").split(" ")[1] ?? "";
  return Buffer.from(encoded, "base64").toString("utf8").split(":")[0];
}

export async function syncPulls(state: FakeState, changed: FakeRepository): Promise<void> {
  for (const { pulls } of state.repositories) {
    for (const pull of pulls) {
      if (pull.from === changed || pull.repository === changed) await syncPull(pull);
    }
  }
}

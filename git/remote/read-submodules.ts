// Which submodules a commit has, read from its objects and never from a checkout; whatever could lead elsewhere is refused.
import { join } from "node:path";
import { GitError } from "../command/git-error.ts";
import { gitText, type RunGitOptions, runGit } from "../command/run-git.ts";
import { type CommitId, commitId } from "./commit-id.ts";
import {
  parseRemoteUrl,
  type RemoteUrl,
  RemoteUrlError,
  type RemoteUrlRules,
} from "./remote-url.ts";
import { escapeOf } from "./submodule-path.ts";

export interface Submodule {
  /** Where it belongs in the checkout. */
  readonly path: string;
  readonly remote: RemoteUrl;
  readonly commit: CommitId;
}

export interface SubmoduleRules extends RemoteUrlRules {
  /** Hosts besides the parent's own that a submodule may come from. */
  readonly allowHosts?: readonly string[] | undefined;
}

const GITMODULES_BYTES_MAX = 1024 * 1024;
const SUBMODULES_MAX = 500;
const DIRECTORIES_MAX = 2000;
const DIRECTORY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * `repository` is bare and has the commit. Entries of `.gitmodules` without a commit of their own in the tree are left
 * out, as git does; a single one that is refused refuses all of them, because half a checkout helps nobody.
 */
export async function readSubmodules(
  { gitDir, remote }: { readonly gitDir: string; readonly remote: RemoteUrl },
  commit: CommitId,
  rules: SubmoduleRules = {},
): Promise<Submodule[]> {
  const options: RunGitOptions = { gitDir, variables: { GIT_LITERAL_PATHSPECS: "1" } };
  const entries = await readEntries(commit, options);
  for (const { name, path } of entries) {
    const reason = escapeOf(name) ?? escapeOf(path);
    if (reason !== undefined) throw refused(path, reason);
  }
  const paths = entries.map(({ path }) => path);
  if (new Set(paths.map(folded)).size < paths.length) {
    throw refused(paths[0] ?? "", "two submodules have the same path");
  }
  const links = await readLinks(commit, paths, options);
  await refuseLookAlikes(commit, [...links.keys()], options);
  return entries.flatMap(({ path, url }) => {
    const linked = links.get(path);
    if (linked === undefined) return [];
    return [{ path, commit: linked, remote: submoduleRemote({ path, url }, remote, rules) }];
  });
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly url: string;
}

/** Only names, paths and addresses are taken: `update = !command` and all else is not even read. */
async function readEntries(commit: CommitId, options: RunGitOptions): Promise<Entry[]> {
  const [file] = await listTree(commit, [".gitmodules"], options);
  if (file === undefined) return [];
  if (!/^100\d{3}$/.test(file.mode)) throw refused(".gitmodules", "it is not a plain file");
  const sizeBytes = Number(await gitText(["cat-file", "-s", file.id], options));
  if (sizeBytes > GITMODULES_BYTES_MAX) throw refused(".gitmodules", "it is too large");
  const values = new Map<string, string>();
  for (const line of (await readConfig(commit, options)).split("\0")) {
    const at = line.indexOf("\n");
    if (at !== -1) values.set(line.slice(0, at), line.slice(at + 1)); // the last one counts, as for git
  }
  const names = [...values.keys()].flatMap(
    (key) => /^submodule\.(.*)\.path$/s.exec(key)?.[1] ?? [],
  );
  if (names.length > SUBMODULES_MAX) throw refused(".gitmodules", "it has too many submodules");
  return names.map((name) => {
    const path = values.get(`submodule.${name}.path`) ?? "";
    const url = values.get(`submodule.${name}.url`) ?? "";
    return { name, path, url };
  });
}

async function readConfig(commit: CommitId, options: RunGitOptions): Promise<string> {
  const blob = `${commit}:.gitmodules`;
  const args = ["config", "--no-includes", "--list", "-z", "--blob", blob];
  const { stdout, exitCode } = await runGit(args, { ...options, answers: [128] });
  if (exitCode !== 0) throw refused(".gitmodules", "git cannot read it");
  return stdout.toString("utf8");
}

async function readLinks(
  commit: CommitId,
  paths: readonly string[],
  options: RunGitOptions,
): Promise<Map<string, CommitId>> {
  if (paths.length === 0) return new Map();
  const entries = await listTree(commit, paths, options);
  const links = entries.filter(({ mode }) => mode === "160000");
  return new Map(links.map(({ path, id }) => [path, commitId(id)]));
}

/** A link `A` beside the directory `a` becomes its way out where capitals do not count: CVE-2024-32002. */
async function refuseLookAlikes(
  commit: CommitId,
  paths: readonly string[],
  options: RunGitOptions,
): Promise<void> {
  const inside = new Map<string, Set<string>>();
  for (const path of paths) {
    const parts = path.split("/");
    for (const [depth, part] of parts.entries()) {
      const parent = parts.slice(0, depth).join("/");
      inside.set(parent, (inside.get(parent) ?? new Set()).add(part));
    }
  }
  if (inside.size > DIRECTORIES_MAX) throw refused(".gitmodules", "its paths are too deep");
  for (const [parent, parts] of inside) {
    const names = (await listTree(`${commit}:${parent}`, [], options)).map(({ path }) => path);
    for (const part of parts) {
      const like = names.find((name) => name !== part && folded(name) === folded(part));
      if (like !== undefined)
        throw refused(join(parent, part), `'${like}' looks like a part of it`);
    }
  }
}

/** Entries of these paths, or of the whole directory when there are none. */
async function listTree(tree: string, paths: readonly string[], options: RunGitOptions) {
  const args = ["ls-tree", "-z", "--full-tree", tree, "--", ...paths];
  const { stdout } = await runGit(args, { ...options, maxOutputBytes: DIRECTORY_BYTES_MAX });
  const lines = stdout.toString("utf8").split("\0").slice(0, -1);
  return lines.map((line) => {
    const at = line.indexOf("\t");
    const [mode = "", , id = ""] = line.slice(0, at).split(" ");
    return { mode, id, path: line.slice(at + 1) };
  });
}

function submoduleRemote(
  { path, url }: Pick<Entry, "path" | "url">,
  parent: RemoteUrl,
  { allowHosts = [], ...rules }: SubmoduleRules,
): RemoteUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(url)) throw refused(path, "its address has control characters");
  try {
    const isRelative = url.startsWith("./") || url.startsWith("../");
    const named = parseRemoteUrl(isRelative ? relativeTo(parent, url) : url, rules);
    const remote = asParent(named, parent, rules);
    // By ssh it would be reached as Croft itself, not as the caller; a path of this machine does not mix with a remote.
    if (remote.protocol !== parent.protocol) {
      throw refused(path, `it is reached by ${remote.protocol}, its parent by ${parent.protocol}`);
    }
    if (remote.host === parent.host || allowHosts.includes(remote.host)) return remote;
    throw refused(path, `it comes from another host, '${remote.host}', which is not allowed`);
  } catch (error) {
    if (error instanceof RemoteUrlError) throw refused(path, error.message);
    throw error;
  }
}

/** Many write `git@host:…` for what the caller can reach by https, with a token of its own. */
function asParent(remote: RemoteUrl, parent: RemoteUrl, rules: RemoteUrlRules): RemoteUrl {
  const hostOf = ({ host }: RemoteUrl) => host.replace(/:\d+$/, "");
  const isByWeb = parent.protocol === "https" || parent.protocol === "http";
  if (remote.protocol !== "ssh" || !isByWeb || hostOf(remote) !== hostOf(parent)) return remote;
  return parseRemoteUrl(`${parent.protocol}://${parent.host}/${remote.path}`, rules);
}

/** As git does: `../` takes away the parent's last part. It may not reach the host. */
function relativeTo({ text }: RemoteUrl, url: string): string {
  const [, root = "", rest = ""] = /^([a-z]+:\/\/[^/]+|)\/(.*)$/.exec(text) ?? [];
  const parts = rest.split("/");
  let remainder = url;
  for (;;) {
    if (remainder.startsWith("./")) remainder = remainder.slice(2);
    else if (remainder.startsWith("../") && parts.length > 0) {
      parts.pop();
      remainder = remainder.slice(3);
    } else break;
  }
  return [root, ...parts, remainder].join("/");
}

/** As file systems compare that do not tell capitals apart. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function refused(path: string, reason: string): GitError {
  const message = `the submodule '${path.slice(0, 80)}' is refused: ${reason}`;
  return new GitError("rejected", message.replaceAll(/\p{C}/gu, "?"), { command: "submodule" });
}

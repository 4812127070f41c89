// Puts commits with exactly these trees into a bare repository, whatever their names and kinds of entries.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type CommitId, commitId } from "@croft/git";
import { git } from "./make-repository.ts";

export type TreeEntry =
  | { readonly mode: "100644" | "100755" | "120000"; readonly content: string | Buffer }
  /** A submodule: a commit that need not exist. */
  | { readonly mode: "160000"; readonly commit: string };

/** Paths as bytes, each written as the character of that number (latin1), so that they can be keys. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** One after the other on a new branch; returns their ids in this order. */
export async function importCommits(
  origin: string,
  branch: string,
  trees: readonly Tree[],
): Promise<CommitId[]> {
  const importer = spawn("git", ["-C", origin, "fast-import", "--quiet", "--force"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  for (const [number, tree] of trees.entries()) {
    if (!importer.stdin.write(commitOf(branch, number, tree))) {
      await once(importer.stdin, "drain");
    }
  }
  importer.stdin.end("done\n");
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  const ids = await git(["--git-dir", origin, "rev-list", "--reverse", `refs/heads/${branch}`]);
  return ids.split("\n").map(commitId);
}

/** The same, where no branch shows them: whoever mirrors the repository gets each when a branch is moved to it. */
export async function importHidden(origin: string, trees: readonly Tree[]): Promise<CommitId[]> {
  const commits = await importCommits(origin, "hidden", trees);
  const inOrigin = (...args: string[]) => git(["--git-dir", origin, "update-ref", ...args]);
  await inOrigin(`refs/hidden/${commits.at(-1)}`, commits.at(-1) ?? "");
  await inOrigin("-d", "refs/heads/hidden");
  return commits;
}

/** Names as one writes them, in UTF-8. */
export function treeOf(entries: Readonly<Record<string, TreeEntry | string>>): Tree {
  return new Map(
    Object.entries(entries).map(([path, entry]) => [
      Buffer.from(path).toString("latin1"),
      typeof entry === "string" ? { mode: "100644", content: entry } : entry,
    ]),
  );
}

function commitOf(branch: string, number: number, tree: Tree): Buffer {
  const person = `Test <test@example.org> ${1_700_000_000 + number * 60} +0000`;
  const head = `commit refs/heads/${branch}\nauthor ${person}\ncommitter ${person}\ndata 4\ntest\n`;
  const parts = [Buffer.from(`${head}deleteall\n`)];
  for (const [path, entry] of tree) {
    if (entry.mode === "160000") {
      parts.push(Buffer.from(`M 160000 ${entry.commit} ${quoted(path)}\n`));
      continue;
    }
    const content = Buffer.from(entry.content);
    parts.push(Buffer.from(`M ${entry.mode} inline ${quoted(path)}\ndata ${content.length}\n`));
    parts.push(content, Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}

function quoted(path: string): string {
  const octal = (sign: string) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`;
  return `"${path.replaceAll(/[^a-zA-Z0-9/._-]/g, octal)}"`;
}

// Puts objects into a repository that git itself would never make.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type CommitId, commitId } from "@croft/git";
import { git } from "./make-repository.ts";

export interface RawEntry {
  /** `40000` for a tree. */
  readonly mode: string;
  readonly name: string | Buffer;
  readonly id: string;
}

export async function writeBlob(repository: string, content: string | Buffer): Promise<string> {
  return await hashObject(repository, "blob", Buffer.from(content));
}

/** In this order, whatever the names: nothing is checked. */
export async function writeTree(repository: string, entries: readonly RawEntry[]): Promise<string> {
  const parts = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from("\0"),
    Buffer.from(id, "hex"),
  ]);
  return await hashObject(repository, "tree", Buffer.concat(parts));
}

/** One directory with very many files, all of the same content. */
export async function writeWideTree(
  repository: string,
  count: number,
  blob: string,
): Promise<string> {
  const one = Buffer.concat([Buffer.from("100644 f0000000\0"), Buffer.from(blob, "hex")]);
  const all = Buffer.alloc(one.length * count, one);
  for (let number = 0; number < count; number++) {
    all.write(String(number).padStart(7, "0"), number * one.length + "100644 f".length, "latin1");
  }
  return await hashObject(repository, "tree", all);
}

/** A branch of one commit, with or without something before it. */
export async function commitTree(
  repository: string,
  branch: string,
  tree: string,
  parent?: string,
): Promise<CommitId> {
  const before = parent === undefined ? [] : ["-p", parent];
  const inside = (...args: string[]) => git(["--git-dir", repository, ...args]);
  const commit = await inside("commit-tree", ...before, "-m", branch, tree);
  await inside("update-ref", `refs/heads/${branch}`, commit);
  return commitId(commit);
}

async function hashObject(repository: string, type: string, content: Buffer): Promise<string> {
  const args = ["--git-dir", repository, "hash-object", "-w", "--literally", "-t", type, "--stdin"];
  const child = spawn("git", args, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stdin.end(content);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git hash-object ended with ${code}`);
  return output.trim();
}

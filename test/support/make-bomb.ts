// Makes a small repository with any number of files: trees that have the same tree ten times, and that again.
import { execFileSync } from "node:child_process";
import { makeRepository } from "./make-repository.ts";

export interface BombPlan {
  /** 10 to the power of this are its files. */
  readonly depth: number;
  /** Of each part of a path. */
  readonly nameLength?: number;
  /** Beside the ten at the top: name → content. */
  readonly files?: Readonly<Record<string, string>>;
}

const PERSON = { NAME: "Test", EMAIL: "test@example.org", DATE: "1700000000 +0000" };

/** Bare, with one commit on `main`; returns its path. */
export async function makeBomb(root: string, plan: BombPlan): Promise<string> {
  const { depth, nameLength = 1, files = {} } = plan;
  const repository = await makeRepository(root, "bomb", { files: 0 });
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", ["-C", repository, ...args], { input, encoding: "utf8", env: ENV }).trim();
  const blobOf = (content: string) => git(["hash-object", "-w", "--stdin"], content);
  const tenOf = (what: string) =>
    Array.from({ length: 10 }, (_, n) => `${what}\t${String(n).repeat(nameLength)}\n`).join("");
  let listing = tenOf(`100644 blob ${blobOf("x")}`);
  for (let level = 1; level < depth; level++) {
    listing = tenOf(`040000 tree ${git(["mktree"], listing)}`);
  }
  const beside = Object.entries(files).map(
    ([name, content]) => `100644 blob ${blobOf(content)}\t${name}\n`,
  );
  const tree = git(["mktree"], `${listing}${beside.join("")}`);
  git(["update-ref", "refs/heads/main", git(["commit-tree", tree, "-m", "bomb"])]);
  return repository;
}

const ENV = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  ...Object.fromEntries(
    Object.entries(PERSON).flatMap(([key, value]) =>
      ["AUTHOR", "COMMITTER"].map((who) => [`GIT_${who}_${key}`, value]),
    ),
  ),
};

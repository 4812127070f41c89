// Puts many commits on a branch that leaves another somewhere, in one stream into git.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { git } from "./make-repository.ts";

export interface BranchPlan {
  readonly ref: string;
  /** Where it leaves: a name or an id. */
  readonly from: string;
  readonly count: number;
}

export async function importBranch(
  repository: string,
  { ref, from, count }: BranchPlan,
): Promise<void> {
  const start = await git(["--git-dir", repository, "rev-parse", `${from}^{commit}`]);
  const importer = spawn("git", ["-C", repository, "fast-import", "--quiet", "--force"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  for (let number = 0; number < count; number++) {
    const person = `Fork <fork@example.org> ${1_710_000_000 + number * 60} +0000`;
    const content = `${ref} ${number}\n`;
    const text = [
      ...[`commit ${ref}`, `author ${person}`, `committer ${person}`, "data 4", "fork"],
      ...(number === 0 ? [`from ${start}`] : []),
      ...[`M 100644 inline forked.txt`, `data ${content.length}`, content, ""],
    ].join("\n");
    if (!importer.stdin.write(text)) await once(importer.stdin, "drain");
  }
  importer.stdin.end("done\n");
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

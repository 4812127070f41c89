// Puts commits by anybody at any time into a bare repository, as their makers' clocks and names may be.
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface MadeCommit {
  /** As it stands in the commit; angle brackets would end it. */
  readonly author: string;
  readonly email: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly message: string;
  /** Path → content. */
  readonly files: Readonly<Record<string, string>>;
}

/** One after the other on `main`. */
export async function importHistory(
  repository: string,
  commits: Iterable<MadeCommit>,
): Promise<void> {
  const importer = spawn("git", ["-C", repository, "fast-import", "--quiet", "--force"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  for (const commit of commits) {
    if (!importer.stdin.write(textOf(commit))) await once(importer.stdin, "drain");
  }
  importer.stdin.end("done\n");
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

function textOf({ author, email, at, message, files }: MadeCommit): string {
  const person = `${author} <${email}> ${at} +0000`;
  const head = `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\ndata ${Buffer.byteLength(message)}\n${message}\n`;
  const changes = Object.entries(files).map(([path, content]) => {
    const quoted = JSON.stringify(path);
    return `M 100644 inline ${quoted}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  });
  return `${head}${changes.join("")}\n`;
}

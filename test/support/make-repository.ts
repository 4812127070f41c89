// Makes bare repositories of any size, with history, binary files and odd names, in one stream into git.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

export interface RepositoryPlan {
  readonly files: number;
  /** Commits after the first, each changing `changesPerCommit` files. */
  readonly commits?: number;
  readonly changesPerCommit?: number;
  /** Adds names and contents that trip careless programs. */
  readonly odd?: boolean;
  readonly seed?: number;
}

const FILES_PER_DIRECTORY = 50;

/** A bare repository at `<root>/<name>.git`, branch `main`; returns its path. */
export async function makeRepository(
  root: string,
  name: string,
  plan: RepositoryPlan,
): Promise<string> {
  const path = join(root, `${name}.git`);
  mkdirSync(root, { recursive: true });
  await git(["init", "--quiet", "--bare", "--initial-branch=main", path]);
  const random = seededRandom(plan.seed ?? 1);
  const importer = spawn("git", ["-C", path, "fast-import", "--quiet", "--force"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importer, "exit");
  const write = async (text: string | Buffer) => {
    if (!importer.stdin.write(text)) await once(importer.stdin, "drain");
  };
  await write(commitHead("first", 0));
  for (let number = 0; number < plan.files; number++) {
    await write(fileEntry(pathOf(number), contentOf(number, random)));
  }
  if (plan.odd) for (const [odd, content] of oddFiles()) await write(fileEntry(odd, content));
  for (let commit = 1; commit <= (plan.commits ?? 0); commit++) {
    await write(commitHead(`change ${commit}`, commit));
    for (let change = 0; change < (plan.changesPerCommit ?? 10); change++) {
      const number = random.below(plan.files);
      await write(
        fileEntry(pathOf(number), `changed ${commit}.${change}\n${contentOf(number, random)}`),
      );
    }
  }
  importer.stdin.end("done\n");
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  return path;
}

/** For set-up only: not the git that is tested. */
export async function git(args: readonly string[], cwd = "/"): Promise<string> {
  const child = spawn("git", args, {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_AUTHOR_NAME: "Test",
      GIT_AUTHOR_EMAIL: "test@example.org",
      GIT_COMMITTER_NAME: "Test",
      GIT_COMMITTER_EMAIL: "test@example.org",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let complaint = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${complaint}`);
  return output.trimEnd();
}

function pathOf(number: number): string {
  const directory = Math.floor(number / FILES_PER_DIRECTORY);
  return `src/d${Math.floor(directory / 40)}/e${directory % 40}/file-${number}.txt`;
}

function contentOf(number: number, random: SeededRandom): string {
  return `file ${number}\n${"lorem ipsum dolor sit amet\n".repeat(1 + random.below(12))}`;
}

function oddFiles(): [string, string | Buffer][] {
  return [
    ["binary.bin", Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 37) % 256))],
    ["empty", ""],
    ["with space.txt", "space\n"],
    ["ünïcödé/日本語.md", "unicode\n"],
    ["quote\"and'back`tick", "quotes\n"],
    ["line\nbreak", "line break in the name\n"],
    ["-leading-dash", "dash\n"],
    ["crlf.txt", "one\r\ntwo\r\n"],
    [".gitattributes", "*.bin binary\n"],
  ];
}

function commitHead(message: string, number: number): string {
  const when = `${1_700_000_000 + number * 60} +0000`;
  const person = `Test <test@example.org> ${when}`;
  const text = `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\n`;
  return `${text}data ${Buffer.byteLength(message)}\n${message}\n`;
}

function fileEntry(path: string, content: string | Buffer): Buffer {
  const body = Buffer.from(content);
  const quoted = `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
  return Buffer.concat([
    Buffer.from(`M 100644 inline ${quoted}\ndata ${body.length}\n`),
    body,
    Buffer.from("\n"),
  ]);
}

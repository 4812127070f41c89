// Another process that uses repository locks, and is told what to do and killed by a test.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { waitUntil } from "./wait-until.ts";

export interface LockProcessPlan {
  /** Where the lock files are. */
  readonly directory: string;
  readonly repository: string;
  /**
   * The inside of an async function. It has `locks`, `directory`, `repository`, `runGit`, `LockFile`; `say(word)`;
   * `await told()` waits for the test. What it throws is said as JSON.
   */
  readonly body: string;
  /** A command that runs the rest of its arguments. */
  readonly wrapper?: readonly string[];
}

export class LockProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #closed: Promise<unknown>;
  #said = "";

  /** Does not outlive the test. */
  constructor({ directory, repository, body, wrapper = [] }: LockProcessPlan) {
    const [command = "", ...args] = [
      ...wrapper,
      process.execPath,
      ...["--import", "tsx", "--input-type=module", "--eval", scriptOf(body)],
      ...[directory, repository],
    ];
    this.#child = spawn(command, args, { cwd: projectRoot, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.stdin.on("error", () => {}); // it was killed before it had read all
    this.#child.stdout.on("data", (chunk) => {
      this.#said += chunk;
    });
    this.#closed = once(this.#child, "close");
    onTestFinished(async () => {
      this.signal("SIGKILL");
      await this.#closed;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get said(): readonly string[] {
    return this.#said.split("\n").filter((line) => line !== "");
  }

  async hasSaid(word: string): Promise<void> {
    await waitUntil(`'${word}' from process ${this.pid}, which said: ${this.#said}`, () =>
      this.said.includes(word),
    );
  }

  tell(): void {
    this.#child.stdin.write("\n");
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** All that it said. */
  async ended(): Promise<readonly string[]> {
    await this.#closed;
    return this.said;
  }
}

/** Says "held" when it has the lock, and lets go when it is told. */
export const HOLD_UNTIL_TOLD = `
  await locks.hold(repository, { purpose: "elsewhere", runId: "r-1" }, async () => {
    say("held");
    await told();
  });
  say("released");`;

function scriptOf(body: string): string {
  const load = (path: string) =>
    `await import(${JSON.stringify(pathToFileURL(`${projectRoot}/${path}`).href)})`;
  return `
    const say = (word) => process.stdout.write(word + "\\n");
    const heard = [], ears = [];
    process.stdin.on("data", () => ears.length > 0 ? ears.shift()() : heard.push(true));
    process.stdin.on("end", () => process.exit(1)); // the test is gone
    const told = () => new Promise((resolve) => heard.pop() ? resolve() : ears.push(resolve));
    try {
      const { RepositoryLocks } = ${load("git/lock/repository-lock.ts")};
      const { LockFile } = ${load("git/lock/lock-file.ts")};
      const { runGit } = ${load("git/command/run-git.ts")};
      const [directory, repository] = process.argv.slice(1);
      const locks = new RepositoryLocks(directory);
      ${body}
    } catch (error) {
      const { name, code, message } = error;
      say(JSON.stringify({ name, code, message }));
    }
    process.stdout.write("", () => process.exit(0));`;
}

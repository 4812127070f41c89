// A shell that stays, and starts small programs for us faster than Node can.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { endProcessGroup } from "./end-process-group.ts";
import { TOOL_PATH, TOOL_TIMEOUT_MS, type ToolOptions } from "./run-tool.ts";

export interface ShellOutcome {
  /** 127 when the program is not installed; -1 when it did not come to an end. */
  readonly exitCode: number;
  /** On both streams. */
  readonly said: string;
}

interface Shell {
  readonly child: ChildProcess;
  readonly stdin: Socket;
  readonly stdout: Socket;
}

const IDLE_MS = 10_000;

/**
 * To start a program, Node forks, and for each 40 MB it has in memory it stands still for a millisecond: with 400 MB a
 * mount takes 10 ms, through a shell 2 ms.
 *
 * It is told one command at a time: if we are killed, at most one is still carried out, as it would be without a shell.
 * It ends when we do, because it reads what we write, and when it is not needed for a while.
 */
export class ToolShell {
  #shell: Shell | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  /** Follows what a program says; no program knows it. */
  readonly #mark = randomUUID();

  run(
    program: string,
    args: readonly string[],
    { cwd = "/", timeoutMs = TOOL_TIMEOUT_MS }: ToolOptions = {},
  ): Promise<ShellOutcome> {
    const command = [program, ...args].map(quoted).join(" ");
    const script = `(cd ${quoted(cwd)} && exec ${command}) </dev/null 2>&1; printf '\\n%s %s\\n' ${this.#mark} "$?"\n`;
    const outcome = this.#turn.then(() => this.#tell(script, timeoutMs));
    this.#turn = outcome; // does not reject
    return outcome;
  }

  async #tell(script: string, timeoutMs: number): Promise<ShellOutcome> {
    clearTimeout(this.#idle);
    const known = this.#shell;
    const shell = known === undefined || hasEnded(known) ? await start() : known;
    if (shell instanceof Error) return { exitCode: -1, said: shell.message };
    this.#shell = shell;
    const outcome = await answerTo(script, shell, { mark: this.#mark, timeoutMs });
    if (outcome.exitCode === -1) {
      this.#shell = undefined; // whatever it does now, it is not asked again
      void endProcessGroup(shell.child, 0);
    }
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    return outcome;
  }

  #end(): void {
    this.#shell?.stdin.end();
    this.#shell = undefined;
  }
}

/** In a group of its own: an interrupt from the terminal must not take it from us while we clean up. */
async function start(): Promise<Shell | Error> {
  const child = spawn("sh", ["-s"], {
    cwd: "/",
    env: { PATH: TOOL_PATH, LC_ALL: "C" },
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  if (child.pid === undefined) return (await once(child, "error"))[0]; // not even pipes, when descriptors are short
  child.unref();
  const stdin = child.stdin as Socket;
  const stdout = child.stdout as Socket;
  stdin.on("error", () => {}); // it has ended: its exit tells
  stdin.unref();
  stdout.unref();
  return { child, stdin, stdout };
}

function answerTo(
  script: string,
  { child, stdin, stdout }: Shell,
  { mark, timeoutMs }: { mark: string; timeoutMs: number },
): Promise<ShellOutcome> {
  return new Promise((resolve) => {
    let text = "";
    const finish = (outcome: ShellOutcome) => {
      clearTimeout(timer);
      stdout.off("data", onData);
      child.off("exit", onExit);
      resolve(outcome);
    };
    const onData = (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const end = text.indexOf(`\n${mark} `);
      const [, code] = end < 0 ? [] : (/^\n\S+ (\d+)\n/.exec(text.slice(end)) ?? []);
      if (code !== undefined) finish({ exitCode: Number(code), said: text.slice(0, end) });
    };
    const onExit = () => finish({ exitCode: -1, said: "the shell has ended" });
    const timer = setTimeout(
      () => finish({ exitCode: -1, said: `no answer within ${timeoutMs} ms` }),
      timeoutMs,
    );
    stdout.on("data", onData);
    child.once("exit", onExit);
    stdin.write(script);
  });
}

function hasEnded({ child }: Shell): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

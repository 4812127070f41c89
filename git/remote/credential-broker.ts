// Gives git a token at the moment it asks, over a descriptor that only this one git has.
import type { Duplex } from "node:stream";
import { GitError } from "../command/git-error.ts";
import { type GitResult, type RunGitOptions, runGit } from "../command/run-git.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface Token {
  readonly username: string;
  readonly password: string;
}

export interface TokenWish {
  /** The remote refused the last one: a cached token must not be given again. */
  readonly refresh: boolean;
  /** What it is for: a submodule's repository is another than that of its parent. */
  readonly remote?: RemoteUrl | undefined;
  /** Something is to be changed there. */
  readonly isPush?: boolean | undefined;
}

export type TokenSource = (wish: TokenWish) => Promise<Token>;

export function staticToken(token: Token): TokenSource {
  return async () => token;
}

/**
 * One line of shell: passes git's question on and the answer back. `store` is ignored, because nothing is kept;
 * `erase` is told, because it means that the remote refused the token.
 */
const HELPER = `!f() { [ "$1" = store ] && exit 0; { echo "verb=$1"; cat; echo; } >&3; [ "$1" = get ] || exit 0; while IFS= read -r l && [ -n "$l" ]; do echo "$l"; done <&3; }; f`;

/** Ends the command at once, where no answer would let git ask elsewhere. */
const GIVE_UP = "quit=1\n\n";

/** A question of git's is a few short lines, and one command asks a few times: get, erase, get for another path. */
const QUESTION_LENGTH_MAX = 16 * 1024;
const QUESTIONS_MAX = 32;

/** Runs git with a token for exactly this remote; once more with a fresh one if the first was refused. */
export async function runGitWithToken(
  args: readonly string[],
  { remote, tokens, ...options }: RunGitOptions & { remote: RemoteUrl; tokens: TokenSource },
): Promise<GitResult> {
  const { timeoutMs } = options;
  const startedAt = performance.now();
  const first = await attempt(args, { remote, tokens, options, refresh: false });
  if ("result" in first) return first.result;
  const leftMs = timeoutMs && Math.round(timeoutMs - (performance.now() - startedAt));
  if (!first.refused || (leftMs !== undefined && leftMs <= 0)) throw first.error;
  const again = { ...options, timeoutMs: leftMs };
  const second = await attempt(args, { remote, tokens, options: again, refresh: true });
  if ("result" in second) return second.result;
  throw second.error;
}

interface AttemptInput {
  readonly remote: RemoteUrl;
  readonly tokens: TokenSource;
  readonly options: RunGitOptions;
  readonly refresh: boolean;
}

type Attempt =
  | { readonly result: GitResult }
  | { readonly error: unknown; readonly refused: boolean };

async function attempt(args: readonly string[], input: AttemptInput): Promise<Attempt> {
  const { remote, tokens, options, refresh } = input;
  const given: string[] = [];
  let refused = false;
  let failure: unknown;
  const onHelper = (helper: Duplex) =>
    answerQuestions(helper, async (question) => {
      if (question["verb"] === "erase") refused = true;
      if (question["verb"] !== "get") return "";
      if (!isFor(question, remote)) return GIVE_UP;
      try {
        const token = await tokens({ refresh, remote, isPush: args[0] === "push" });
        given.push(...secretsOf(token));
        return `username=${oneLine(token.username)}\npassword=${oneLine(token.password)}\n\n`;
      } catch (error) {
        failure = error; // git is told to give up, and would report only that
        return GIVE_UP;
      }
    });
  try {
    const result = await runGit(args, {
      ...options,
      config: [...(options.config ?? []), ["credential.helper", HELPER]],
      secrets: () => [...(options.secrets?.() ?? []), ...given],
      onHelper,
    });
    return { result };
  } catch (error) {
    if (failure === undefined) return { error, refused };
    const command = args[0] ?? "";
    const cause = new GitError("auth", `git ${command} got no token`, { command }, failure);
    return { error: cause, refused: false };
  }
}

/** The password, what is made of it for the header, and the user name where that is the token. */
function secretsOf({ username, password }: Token): string[] {
  const header = Buffer.from(`${username}:${password}`).toString("base64");
  return password === "" || password === "x-oauth-basic" ? [username, header] : [password, header];
}

/** Only for the remote that the operation is about: not for a redirect, a submodule or another path of the host. */
function isFor(question: Record<string, string>, { protocol, host, path }: RemoteUrl): boolean {
  const asked = question["path"]?.replace(/\/+$/, "").replace(/\.git$/, "");
  const isRepository = asked === path || asked === `${path}.git/info/lfs`; // its large files are a part of it
  return question["protocol"] === protocol && question["host"] === host && isRepository;
}

type Answer = (question: Record<string, string>) => Promise<string>;

/**
 * In order, one after the other: two answers at once would be mixed up on the one line. Whoever asks too much, or too
 * often, is no helper of ours, and gets no answer at all: git then ends for want of a credential.
 */
function answerQuestions(helper: Duplex, answer: Answer): void {
  let pending = "";
  let count = 0;
  let answered: Promise<void> = Promise.resolve();
  helper.setEncoding("utf8"); // a letter may come in two pieces
  helper.on("error", () => {}); // git has ended: there is nobody to answer
  helper.on("data", (chunk: string) => {
    const questions = (pending + chunk).split("\n\n");
    pending = questions.at(-1) ?? "";
    count += questions.length - 1;
    if (count > QUESTIONS_MAX || questions.some(({ length }) => length > QUESTION_LENGTH_MAX)) {
      helper.destroy();
      return;
    }
    for (const question of questions.slice(0, -1)) {
      answered = answered.then(async () => {
        const text = helper.destroyed ? "" : await answer(parseLines(question));
        if (!helper.destroyed) helper.write(text);
      });
    }
  });
}

/** A line break would begin another attribute. */
function oneLine(value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error("a token may not contain line breaks");
  return value;
}

/** The verb comes first, from our own helper; nothing that follows can change it. */
function parseLines(text: string): Record<string, string> {
  const entries = text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
  return Object.fromEntries(entries.reverse());
}

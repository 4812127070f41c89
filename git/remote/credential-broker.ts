// Gives git a token at the moment it asks, over a descriptor that only this one git has.
import type { Duplex } from "node:stream";
import { GitError } from "../command/git-error.ts";
import { type GitResult, type RunGitOptions, runGit } from "../command/run-git.ts";
import type { RemoteUrl } from "./remote-url.ts";

export interface Token {
  readonly username: string;
  readonly password: string;
}

/** `refresh` is true when the remote refused the last one: a cached token must not be given again. */
export type TokenSource = (request: { readonly refresh: boolean }) => Promise<Token>;

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

/** A question of git's is a few short lines. */
const QUESTION_BYTES_MAX = 16 * 1024;

/** Runs git with a token for exactly this remote; once more with a fresh one if the first was refused. */
export async function runGitWithToken(
  args: readonly string[],
  { remote, tokens, ...options }: RunGitOptions & { remote: RemoteUrl; tokens: TokenSource },
): Promise<GitResult> {
  const first = await attempt(args, { remote, tokens, options, refresh: false });
  if ("result" in first) return first.result;
  if (!first.refused) throw first.error;
  const second = await attempt(args, { remote, tokens, options, refresh: true });
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
        const token = await tokens({ refresh });
        given.push(token.password);
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

/** Only for the remote that the operation is about: not for a redirect, a submodule or another path of the host. */
function isFor(question: Record<string, string>, { protocol, host, path }: RemoteUrl): boolean {
  const asked = question["path"]?.replace(/\/+$/, "").replace(/\.git$/, "");
  return question["protocol"] === protocol && question["host"] === host && asked === path;
}

type Answer = (question: Record<string, string>) => Promise<string>;

function answerQuestions(helper: Duplex, answer: Answer): void {
  let pending = "";
  helper.on("error", () => {}); // git has ended: there is nobody to answer
  helper.on("data", (chunk: Buffer) => {
    pending += chunk.toString("utf8");
    if (pending.length > QUESTION_BYTES_MAX) helper.destroy();
    for (let end = pending.indexOf("\n\n"); end !== -1; end = pending.indexOf("\n\n")) {
      const question = parseLines(pending.slice(0, end));
      pending = pending.slice(end + 2);
      void answer(question).then((text) => {
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

function parseLines(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const at = line.indexOf("=");
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}

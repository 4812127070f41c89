// What a handler can show at GitHub, as its own process sees it.

/** Only for jobs of a GitHub installation: it is the installation that writes, whatever the job's input says. */
export interface HandlerGithub {
  /** Made once for its name, then edited; the same again, in a later attempt too, sends nothing. */
  comment(comment: CommentWish): Promise<{ readonly id: number; readonly url: string }>;
  /** Opened for the branch, or updated if it is open and Croft's own; somebody else's is left as it is. */
  pullRequest(pull: PullRequestWish): Promise<PutPullRequest>;
  /** Made once for its name and commit, then updated. */
  check(check: CheckWish): Promise<{ readonly id: number; readonly url: string }>;
}

export interface CommentWish {
  /** `owner/name`, one of the installation's. */
  readonly repository: string;
  /** Of the issue or pull request. */
  readonly number: number;
  readonly body: string;
  /** Comments of a job with the same name are one. */
  readonly name?: string | undefined;
  /** `pull-request`: all jobs of the installation edit the one of this name. */
  readonly per?: "job" | "pull-request" | undefined;
}

export interface PullRequestWish {
  readonly repository: string;
  /** A branch of the repository, pushed already. */
  readonly head: string;
  /** The default branch without. */
  readonly base?: string | undefined;
  readonly title: string;
  readonly body?: string | undefined;
  /** Counts when it is opened. */
  readonly draft?: boolean | undefined;
}

export interface PutPullRequest {
  readonly number: number;
  readonly url: string;
  readonly isOwn: boolean;
}

export interface CheckWish {
  readonly repository: string;
  /** Its full id. */
  readonly commit: string;
  readonly name: string;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion?:
    | "success"
    | "failure"
    | "cancelled"
    | "neutral"
    | "action_required"
    | undefined;
  readonly title: string;
  /** Markdown, like the text. */
  readonly summary: string;
  readonly text?: string | undefined;
  /** All so far: GitHub adds to those it has, and each is sent once. */
  readonly annotations?: readonly AnnotationWish[] | undefined;
}

export interface AnnotationWish {
  readonly path: string;
  readonly start_line: number;
  /** The same line without. */
  readonly end_line?: number | undefined;
  readonly level: "notice" | "warning" | "failure";
  readonly message: string;
  readonly title?: string | undefined;
}

type Ask = (name: string, request: unknown) => Promise<unknown>;

export function githubOf(ask: Ask): HandlerGithub {
  return {
    comment: async (wish) => (await ask("github-comment", wish)) as { id: number; url: string },
    pullRequest: async (wish) => (await ask("github-pull-request", wish)) as PutPullRequest,
    check: async (wish) => (await ask("github-check", wish)) as { id: number; url: string },
  };
}

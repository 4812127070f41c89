// One line of a diagnosis: what was looked at, how it is, and what to do about it.

export interface Check {
  /** Stable, for programs: `git-version`. */
  readonly name: string;
  /** `warning`: it works, but less well or less safely than it could. */
  readonly outcome: "ok" | "warning" | "failed";
  readonly detail: string;
  /** What to do, where something is to be done. */
  readonly advice?: string | undefined;
}

/** The three answers to one question. */
export function checkNamed(name: string) {
  const answer = (outcome: Check["outcome"]) => (detail: string, advice?: string) =>
    ({ name, outcome, detail, advice }) satisfies Check;
  return { ok: answer("ok"), warning: answer("warning"), failed: answer("failed") };
}

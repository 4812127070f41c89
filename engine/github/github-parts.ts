// What is needed to find out what an event of GitHub starts, and to start it.
import type { Engine } from "../engine.ts";

/** As much of the App as that takes; `github-app.ts` has the rest. */
export interface AskGithub {
  /** Of the App's own bot: `croft[bot]`. */
  login(): Promise<string>;
  ask<T>(request: {
    readonly installation: number;
    readonly repository?: string;
    readonly route: string;
    readonly parameters?: object;
    readonly signal?: AbortSignal;
  }): Promise<T>;
}

export type GithubParts = Pick<Engine, "config" | "database" | "intake" | "log" | "triggers"> & {
  /** Undefined where no App is configured: then nobody can be asked. */
  readonly github?: AskGithub | undefined;
};

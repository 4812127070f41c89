// What starts a stored pipeline, as it is kept and shown.
import type { GithubTrigger as ShownTrigger, StoredPipeline } from "@croft/contract";
import { FilterError, requireFilters } from "@croft/git";
import type { GithubTrigger } from "@croft/pipeline";
import { EngineError } from "../engine-error.ts";

/** Before events had filters they were kept by their names. */
export type KeptTriggers = Omit<StoredPipeline["on"], "github"> & {
  readonly github: readonly (string | ShownTrigger)[];
};

const UNFILTERED: Omit<ShownTrigger, "events"> = {
  ...{ repositories: [], branches: [], paths: [], paths_ignore: [], labels: [], senders: [] },
  ...{ command: null, anyone: false, drafts: true, ignore_bots: false, forks: "untrusted" },
  ...{ supersede: false, priority: null, key: null },
};

export function shownTriggers({ github, ...rest }: KeptTriggers): StoredPipeline["on"] {
  return {
    ...rest,
    github: github.map((each) =>
      typeof each === "string" ? { events: [each], ...UNFILTERED } : each,
    ),
  };
}

export function shownTrigger(trigger: GithubTrigger): ShownTrigger {
  const { events, repositories, branches, paths, labels, senders } = trigger;
  const { anyone, drafts, forks, supersede } = trigger;
  return {
    ...{ events: [...events], repositories: [...repositories], branches: [...branches] },
    ...{ paths: [...paths], paths_ignore: [...trigger.pathsIgnore] },
    ...{ labels: [...labels], senders: [...senders], command: trigger.command ?? null },
    ...{ anyone, drafts, ignore_bots: trigger.ignoreBots, forks, supersede },
    ...{ priority: trigger.priority ?? null, key: trigger.key ?? null },
  };
}

/** They are used as the filters of watches are. */
export function requireGlobs(triggers: readonly GithubTrigger[]): void {
  for (const { repositories, branches, paths, pathsIgnore } of triggers) {
    for (const globs of [repositories, branches, paths, pathsIgnore]) {
      try {
        requireFilters({ include: globs });
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        throw new EngineError("invalid-input", `on.github: ${error.message}`, { cause: error });
      }
    }
  }
}
